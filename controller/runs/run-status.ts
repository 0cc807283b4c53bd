import { RUN_CONDITION_TYPES, RUN_REASONS } from '../../lib/api/run-reasons.js';
import { completeConditions, isFalse, isUnknown, timestamp, type ConditionDraft } from '../status/conditions.js';
import { believableRun } from './believable-run.js';
import { endedStatus, startedAtOf, storedEnd, workloadField, type StatusDraft } from './final-status.js';
import type { ObservedRun } from './observed-run.js';
import { outcomeOf, type Outcome } from './outcome.js';
import { progressOf, type Progress } from './progress.js';
import { reapVerdict } from './reap-policy.js';
import { runEvents } from './run-events.js';
import { gatherRunFacts, isFinal, type RunFacts } from './run-facts.js';
import type { RunStatus, RunVerdict } from './run-verdict.js';
import { startTrouble, type StartTrouble, type StartVerdict } from './start-trouble.js';
import { startupDeadline } from './startup-deadline.js';
import { stopVerdict } from './stop-policy.js';
import { instant } from './times.js';

/**
 * The verdict on a run, from what is observed of it and the server's time in milliseconds. Pure: the same observation at
 * the same time gives the same bytes, nothing is changed, nothing is asked, and nothing throws, whatever was stored.
 */
export function judgeRun(stored: ObservedRun, now: number): RunVerdict {
  const facts = gatherRunFacts(believableRun(stored), now);
  const judged: Judged = storedEnd(facts) ?? judge(facts);
  const completedAt = instant(judged.fields.completionTime);
  const reap = reapVerdict(facts, completedAt, stored.formerDeletion);
  const status: RunStatus = {
    observedGeneration: facts.generation,
    ...judged.fields,
    conditions: completeConditions(conditionsOf(judged, reap.reapable), {
      former: facts.formerConditions.filter(({ type }) => !isFormerTrouble(type, judged)),
      generation: facts.generation,
      now,
    }),
  };
  const stopping = isFinal(status.phase) ? stopVerdict(facts, status) : {};
  const recheck = Math.min(
    judged.recheckAfterMs ?? Infinity,
    stopping.recheckAfterMs ?? Infinity,
    reap.decision.kind === 'wait' ? reap.decision.afterMs : Infinity,
  );
  return {
    status,
    ...(Number.isFinite(recheck) && { recheckAfterMs: recheck }),
    ...(stopping.stop !== undefined && { stop: stopping.stop }),
    reap: reap.decision,
    events: runEvents(facts, status, stopping.stop),
    ...(judged.wantsMountFailure === true && wantsMountFailure(facts, stored)),
  };
}

interface Judged extends StatusDraft {
  readonly start?: StartVerdict;
  readonly recheckAfterMs?: number;
  readonly wantsMountFailure?: boolean;
}

/** The rules in their order: how it ended, what keeps it from starting, its deadline, and else where it stands. */
function judge(facts: RunFacts): Judged {
  const { outcome, recheckAfterMs = Infinity } = outcomeOf(facts);
  if (outcome !== undefined) return endedStatus(facts, outcome);
  const start = startTrouble(facts);
  if (start.trouble !== undefined && start.remainingMs === 0) return endedStatus(facts, stuck(start.trouble));
  const progress = progressOf(facts, start.trouble);
  const deadline = progress.phase === 'Pending' ? startupDeadline(facts) : undefined;
  if (deadline !== undefined && deadline.remainingMs <= 0) {
    const message = `did not start within ${deadline.seconds} s: ${progress.message}`;
    const tooLate = { isSuccess: false, reason: RUN_REASONS.startupDeadlineExceeded, message };
    return { ...endedStatus(facts, withPod(facts, tooLate)), wantsMountFailure: progress.isSettingUp };
  }
  const recheck = Math.min(recheckAfterMs, start.remainingMs ?? Infinity, deadline?.remainingMs ?? Infinity);
  return {
    ...inProgress(facts, progress),
    start,
    ...(Number.isFinite(recheck) && { recheckAfterMs: recheck }),
  };
}

/** Another trouble has a time of its own, also where it is told by the same condition. */
function isFormerTrouble(type: string, { start }: Judged): boolean {
  return type === RUN_CONDITION_TYPES.startBlocked && start?.isNew === true;
}

function stuck({ container, reason, detail, pod }: StartTrouble): Outcome {
  const said = detail === '' ? '' : `: ${detail}`;
  return { isSuccess: false, reason, message: `container "${container}" is stuck on ${reason}${said}`, pod };
}

function withPod({ pod }: RunFacts, outcome: Outcome): Outcome {
  return pod === undefined ? outcome : { ...outcome, pod };
}

function inProgress(facts: RunFacts, { phase, reason, message }: Progress): StatusDraft {
  const { pod, workload, stored } = facts;
  // A pod that somebody suspended makes room for another one of the same run.
  const former = workload?.isSuspended === true ? {} : stored;
  const { podName, podUID } = pod === undefined ? former : { podName: pod.metadata.name, podUID: pod.metadata.uid };
  const startedAt = phase === 'Running' ? startedAtOf(facts, {}) : undefined;
  return {
    fields: {
      phase,
      ...workloadField(facts),
      ...(podName !== undefined && { podName }),
      ...(podUID !== undefined && { podUID }),
      ...(startedAt !== undefined && { startTime: timestamp(startedAt) }),
    },
    succeeded: isUnknown(reason, message),
  };
}

/** What engines read follows from Succeeded. */
function conditionsOf(
  { fields, succeeded, start }: Judged,
  reapable: ConditionDraft | undefined,
): ReadonlyMap<string, ConditionDraft> {
  const { reason, message } = succeeded;
  const isTrue: ConditionDraft = { status: 'True', reason, message };
  const entries: readonly (readonly [string, ConditionDraft | undefined])[] = [
    [RUN_CONDITION_TYPES.succeeded, succeeded],
    [RUN_CONDITION_TYPES.ready, fields.phase === 'Succeeded' ? isTrue : isFalse(reason, message)],
    [RUN_CONDITION_TYPES.reconciling, isFinal(fields.phase) ? undefined : isTrue],
    [RUN_CONDITION_TYPES.stalled, fields.phase === 'Failed' ? isTrue : undefined],
    [RUN_CONDITION_TYPES.startBlocked, start?.blocked],
    [RUN_CONDITION_TYPES.reapable, reapable],
  ];
  return new Map(entries.filter((entry): entry is [string, ConditionDraft] => entry[1] !== undefined));
}

/** Asked once: an empty answer is an answer. */
function wantsMountFailure({ pod }: RunFacts, { mountFailure }: ObservedRun): Pick<RunVerdict, 'wantsMountFailure'> {
  if (pod === undefined || mountFailure !== undefined) return {};
  const { name, namespace = '', uid } = pod.metadata;
  return { wantsMountFailure: { name, namespace, uid } };
}
