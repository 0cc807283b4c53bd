import { RUN_REASONS } from '../../lib/api/run-reasons.js';
import { runWorkloadName } from '../../lib/names.js';
import type { Pod } from '../kube/objects.js';
import { decisiveEnd, isAnotherRun } from './evidence.js';
import { describeAgentExit, describeExit, failedInit, type PodEnd } from './pod-end.js';
import type { RunFacts } from './run-facts.js';
import { terminationData } from './termination-data.js';
import type { WorkloadEnd } from './workload.js';

/** How a run has ended. */
export interface Outcome {
  readonly isSuccess: boolean;
  readonly reason: string;
  readonly message: string;
  /** The pod that decided it. */
  readonly pod?: Pod;
  readonly exitCode?: number;
  readonly terminationData?: Readonly<Record<string, unknown>>;
  /** In milliseconds; undefined where nothing that was observed tells. */
  readonly at?: number;
}

/** An outcome, or when there will be one. */
export interface OutcomeVerdict {
  readonly outcome?: Outcome;
  readonly recheckAfterMs?: number;
}

/** How long the word of a workload waits for the pod that it speaks of: the two watches know nothing of each other. */
const EVIDENCE_WAIT_MS = 5_000;

const LIMIT_REACHED_CODE = 2;

/** Words of a Job, and of a Sandbox, for pods that failed. */
const POD_FAILURES: readonly string[] = ['BackoffLimitExceeded', 'PodFailed'];

/** What an outcome is judged by. */
interface Evidence {
  /** How the pod that counts ended. */
  readonly end: PodEnd | undefined;
  /** The last word of the workload. */
  readonly word: WorkloadEnd | undefined;
}

interface Row {
  readonly holds: (evidence: Evidence) => boolean;
  readonly judge: (evidence: Evidence) => Outcome | undefined;
}

/** The order of precedence: the first row that holds decides. */
const PRECEDENCE: readonly Row[] = [
  // The workload's own deadline, and what it does to the pod.
  {
    holds: isPastDeadline,
    judge: ({ end, word }) => failed(end, RUN_REASONS.deadlineExceeded, deadlineMessage(end, word)),
  },
  // The node threw the pod out, or the container used too much memory.
  {
    holds: ({ end }) => podReason(end) === 'Evicted',
    judge: ({ end }) => failed(end, RUN_REASONS.evicted, podMessage(end)),
  },
  {
    holds: ({ end }) => memoryKill(end) !== undefined,
    judge: ({ end }) => failed(end, RUN_REASONS.oomKilled, memoryKill(end) ?? ''),
  },
  // The signal that a deletion sends gives an exit code too, and that code is nothing that the agent has said.
  {
    holds: ({ end }) => end?.agent !== undefined && end.isCutShort,
    judge: ({ end }) => failed(end, RUN_REASONS.podDeleted, deletedMessage(end)),
  },
  // The agent's own word.
  { holds: ({ end }) => end?.agent !== undefined, judge: ({ end }) => end && byExitCode(end) },
  // The pod went before its agent had ended.
  {
    holds: ({ end }) => end?.isCutShort === true,
    judge: ({ end }) => failed(end, RUN_REASONS.podDeleted, deletedMessage(end)),
  },
  // A pod that ended without its agent.
  { holds: ({ end }) => end !== undefined, judge: ({ end }) => end && byPod(end) },
];

/** How the run has ended, if it has; otherwise when time alone will decide. */
export function outcomeOf(facts: RunFacts): OutcomeVerdict {
  const end = decisiveEnd(facts);
  const word = facts.isLost ? undefined : facts.workload?.end;
  const evidence = { end, word };
  if (end === undefined && word !== undefined && !isPastDeadline(evidence)) {
    const since = word.at === undefined ? EVIDENCE_WAIT_MS : facts.now - word.at;
    const remaining = Math.min(EVIDENCE_WAIT_MS, EVIDENCE_WAIT_MS - since);
    if (remaining > 0) return { recheckAfterMs: remaining };
    return { outcome: withoutPod(word, facts) };
  }
  const outcome = PRECEDENCE.find(({ holds }) => holds(evidence))?.judge(evidence);
  if (outcome !== undefined) return { outcome };
  const lost = lostOutcome(facts);
  return lost === undefined ? {} : { outcome: lost };
}

function isPastDeadline({ end, word }: Evidence): boolean {
  const reasons: readonly (string | undefined)[] = [word?.reason, podReason(end)];
  return reasons.includes(RUN_REASONS.deadlineExceeded);
}

function podReason(end: PodEnd | undefined): string | undefined {
  const { phase, reason } = end?.pod.status ?? {};
  return phase === 'Failed' && reason !== '' ? reason : undefined;
}

/** What every outcome takes from the pod that decided it; `said` is what its agent said of it. */
function failed(end: PodEnd | undefined, reason: string, message: string, said = ''): Outcome {
  const { data, leftOut } = terminationData(end?.agent?.message);
  const note = leftOut === undefined ? '' : `; terminationData is left out, because it ${leftOut}`;
  return {
    isSuccess: false,
    reason,
    message: `${message}${note}${said}`,
    ...(end !== undefined && { pod: end.pod }),
    ...(end?.at !== undefined && { at: end.at }),
    ...(end?.agent?.exitCode !== undefined && { exitCode: end.agent.exitCode }),
    ...(data !== undefined && { terminationData: data }),
  };
}

function deadlineMessage(end: PodEnd | undefined, word: WorkloadEnd | undefined): string {
  const said = word?.reason === RUN_REASONS.deadlineExceeded ? word.message : end?.pod.status?.message;
  return said === undefined || said === '' ? 'the run took longer than spec.activeDeadlineSeconds' : said;
}

/** The kill of the container, or of the init container before it, for the memory that it used. */
function memoryKill(end: PodEnd | undefined): string | undefined {
  if (end?.agent !== undefined) {
    return end.agent.reason === RUN_REASONS.oomKilled ? describeAgentExit(end.agent) : undefined;
  }
  const init = end === undefined ? undefined : failedInit(end.pod);
  return init?.exit.reason === RUN_REASONS.oomKilled ? describeExit('init container', init.name, init.exit) : undefined;
}

function deletedMessage(end: PodEnd | undefined): string {
  const disruption = end?.pod.status?.conditions?.find(
    ({ type, status }) => type === 'DisruptionTarget' && status === 'True',
  );
  const why = [disruption?.reason, disruption?.message].filter((part) => part !== undefined && part !== '').join(': ');
  const how = end?.agent === undefined ? 'before its agent had ended' : `and ${describeAgentExit(end.agent)}`;
  return `pod ${end?.pod.metadata.name ?? ''} was deleted ${how}${why === '' ? '' : `; ${why}`}`;
}

function byExitCode(end: PodEnd): Outcome {
  const { exitCode, message = '' } = end.agent ?? {};
  const { data } = terminationData(message);
  const said = data === undefined && message.trim() !== '' ? `: ${message.trim()}` : '';
  const text = end.agent === undefined ? '' : describeAgentExit(end.agent);
  if (exitCode === 0) return { ...failed(end, RUN_REASONS.succeeded, text, said), isSuccess: true };
  return failed(end, exitCode === LIMIT_REACHED_CODE ? RUN_REASONS.limitReached : RUN_REASONS.failed, text, said);
}

/** The pod has ended and says nothing of a container of the agent's. */
function byPod(end: PodEnd): Outcome {
  const init = failedInit(end.pod);
  if (end.pod.status?.phase === 'Succeeded') {
    const message = `pod ${end.pod.metadata.name} has succeeded`;
    return { ...failed(end, RUN_REASONS.succeeded, message), isSuccess: true };
  }
  const said = init?.exit.message === undefined || init.exit.message === '' ? '' : `: ${init.exit.message}`;
  if (init !== undefined) {
    return failed(end, RUN_REASONS.failed, `${describeExit('init container', init.name, init.exit)}${said}`);
  }
  return failed(end, podReason(end) ?? RUN_REASONS.failed, podMessage(end));
}

function podMessage(end: PodEnd | undefined): string {
  const { message = '' } = end?.pod.status ?? {};
  return `pod ${end?.pod.metadata.name ?? ''} has failed${message === '' ? '' : `: ${message}`}`;
}

/** The workload has ended and there is no pod to ask. */
function withoutPod(word: WorkloadEnd, facts: RunFacts): Outcome {
  const { podName } = facts.stored;
  const base = word.at === undefined ? {} : { at: word.at };
  const said = `${word.reason}${word.message === '' ? '' : `: ${word.message}`}`;
  if (word.isSuccess) return { ...base, isSuccess: true, reason: RUN_REASONS.succeeded, message: said };
  // A Job keeps the pods that failed. One that is not there was deleted, and that is what the Job counted.
  if (podName !== undefined && POD_FAILURES.includes(word.reason)) {
    const message = `pod ${podName} is gone, and its end was not seen; ${said}`;
    return { ...base, isSuccess: false, reason: RUN_REASONS.podDeleted, message };
  }
  return { ...base, isSuccess: false, reason: word.reason, message: word.message === '' ? said : word.message };
}

/** The run had begun, and what it began in is not there any more. */
function lostOutcome(facts: RunFacts): Outcome | undefined {
  const { workload, podName, podUID } = facts.stored;
  if (facts.isLost) {
    const name = `${workload?.kind ?? facts.spec.workload} ${workload?.name ?? runWorkloadName(facts.run.metadata.name)}`;
    const message = facts.isReplaced ? `the ${name} was replaced by another one` : `the ${name} was deleted`;
    const { orphan } = facts;
    const still = orphan === undefined ? '' : `; its pod ${orphan.metadata.name} was left behind and still runs`;
    const text = `${message} after the run had started${still}`;
    return { isSuccess: false, reason: RUN_REASONS.workloadLost, message: text };
  }
  const { present } = facts.pods;
  const isThere = podUID === undefined || present.some(({ metadata }) => metadata.uid === podUID);
  if (isThere || facts.formerPhase !== 'Running' || facts.workload?.isSuspended !== false) return undefined;
  // A Job says itself that its pod has failed, unless it makes another one. A Sandbox always does.
  if (facts.workload.kind === 'Job' && !present.some((pod) => isAnotherRun(facts, pod))) return undefined;
  const message = `pod ${podName ?? ''} was deleted before its agent had ended`;
  return { isSuccess: false, reason: RUN_REASONS.podDeleted, message };
}
