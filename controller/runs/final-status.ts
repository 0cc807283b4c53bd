import { RUN_CONDITION_TYPES } from '../../lib/api/run-reasons.js';
import type { Pod } from '../kube/objects.js';
import type { ConditionDraft } from '../status/conditions.js';
import { timestamp } from '../status/conditions.js';
import type { Outcome } from './outcome.js';
import { agentContainer } from './pods-of-run.js';
import { formerCondition, isFinal, type RunFacts } from './run-facts.js';
import type { RunStatus } from './run-verdict.js';
import { instant, wholeSeconds } from './times.js';

/** The status of a run but for its conditions, of which Succeeded alone is said. */
export interface StatusDraft {
  readonly fields: Omit<RunStatus, 'observedGeneration' | 'conditions'>;
  readonly succeeded: ConditionDraft;
}

/** The status of a run that has just ended: complete with its times, from what the pod and the workload say. */
export function endedStatus(facts: RunFacts, outcome: Outcome): StatusDraft {
  const { pod } = outcome;
  const completedAt = credible(outcome.at ?? facts.now, facts, pod);
  const startedAt = startedAtOf(facts, outcome) ?? completedAt;
  const { podName, podUID } =
    pod === undefined ? facts.stored : { podName: pod.metadata.name, podUID: pod.metadata.uid };
  return {
    fields: {
      phase: outcome.isSuccess ? 'Succeeded' : 'Failed',
      ...workloadField(facts),
      ...(podName !== undefined && { podName }),
      ...(podUID !== undefined && { podUID }),
      startTime: timestamp(startedAt),
      completionTime: timestamp(completedAt),
      duration: wholeSeconds(startedAt, completedAt),
      ...(outcome.exitCode !== undefined && { exitCode: outcome.exitCode }),
      ...(outcome.terminationData !== undefined && { terminationData: outcome.terminationData }),
    },
    succeeded: {
      status: outcome.isSuccess ? 'True' : 'False',
      reason: outcome.reason,
      message: outcome.message,
    },
  };
}

/**
 * The result of a run is final: whatever is observed later, the stored status stays. Only times that it lacks are filled
 * in, from the time at which the result was written.
 */
export function storedEnd(facts: RunFacts): StatusDraft | undefined {
  const { stored, formerPhase: phase } = facts;
  if (!isFinal(phase)) return undefined;
  const former = formerCondition(facts, RUN_CONDITION_TYPES.succeeded);
  const completedAt = instant(stored.completionTime) ?? instant(former?.lastTransitionTime) ?? facts.now;
  const startedAt = instant(stored.startTime) ?? facts.workload?.startedAt ?? completedAt;
  return {
    fields: {
      phase,
      ...present(stored),
      startTime: timestamp(startedAt),
      completionTime: timestamp(completedAt),
      duration: stored.duration ?? wholeSeconds(startedAt, completedAt),
    },
    succeeded: {
      status: phase === 'Succeeded' ? 'True' : 'False',
      reason: former?.reason ?? phase,
      message: former?.message ?? '',
    },
  };
}

type StoredFields = Pick<RunStatus, 'workload' | 'podName' | 'podUID' | 'exitCode' | 'terminationData'>;

/** The fields of a stored status that are taken over as they are. */
function present({ workload, podName, podUID, exitCode, terminationData }: StoredFields): StoredFields {
  return {
    ...(workload !== undefined && { workload }),
    ...(podName !== undefined && { podName }),
    ...(podUID !== undefined && { podUID }),
    ...(exitCode !== undefined && { exitCode }),
    ...(terminationData !== undefined && { terminationData }),
  };
}

/** The workload that the run goes by; the one of the former status while none is there. */
export function workloadField({ workload, isLost, stored }: RunFacts): Pick<RunStatus, 'workload'> {
  const { kind, name, uid } =
    workload === undefined || isLost
      ? (stored.workload ?? {})
      : { kind: workload.kind, name: workload.object.metadata.name, uid: workload.uid };
  return kind === undefined || name === undefined || uid === undefined ? {} : { workload: { kind, name, uid } };
}

/** Never moves once it is stored: from the agent itself, else its pod, else the workload. */
export function startedAtOf(facts: RunFacts, { pod = facts.pod }: Pick<Outcome, 'pod'>): number | undefined {
  const status = pod === undefined ? undefined : agentContainer(pod);
  const states = [status?.lastState?.terminated, status?.state?.terminated, status?.state?.running];
  const starts = [...states.map((state) => state?.startedAt), pod?.status?.startTime];
  const [said] = starts.flatMap((time) => instant(time) ?? []);
  return (
    instant(facts.stored.startTime) ??
    (said === undefined ? undefined : credible(said, facts, pod)) ??
    instant(facts.workload?.object.metadata.creationTimestamp) ??
    instant(facts.run.metadata.creationTimestamp)
  );
}

/**
 * What a node says, held to what the API server knows: a clock that is wrong, or a status that is forged, moves no time
 * before the creation of the workload nor past now.
 */
function credible(at: number, { workload, isLost, now }: RunFacts, pod: Pod | undefined): number {
  const maker = workload === undefined || isLost ? pod : workload.object;
  return Math.min(now, Math.max(at, instant(maker?.metadata.creationTimestamp) ?? at));
}
