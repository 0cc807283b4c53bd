import { SETTLED_WAITING_REASONS } from '../../lib/api/reasons.js';
import { HOPELESS_WAITING_REASONS, RUN_CONDITION_TYPES } from '../../lib/api/run-reasons.js';
import type { Condition, ContainerStatus, Pod } from '../kube/objects.js';
import type { ConditionDraft } from '../status/conditions.js';
import { lastExit } from '../status/container-trouble.js';
import { formerCondition, type RunFacts } from './run-facts.js';
import { instant } from './times.js';

/** What keeps a container from starting. */
export interface StartTrouble {
  readonly pod: Pod;
  readonly container: string;
  /** The kubelet's own word. */
  readonly reason: string;
  /** The most specific thing that was said of it; empty where nothing was. */
  readonly detail: string;
  /** Fatal reasons do not get better by themselves; the others are a step on the way there. */
  readonly isFatal: boolean;
}

/** The trouble of a run, and whether it has lasted for too long. */
export interface StartVerdict {
  /** Absent where there is none at the moment. */
  readonly trouble?: StartTrouble;
  /** Milliseconds until the run fails of it; 0 for now, absent while it is not fatal. */
  readonly remainingMs?: number;
  /** The condition that keeps its beginning, and the first specific error, across looks and restarts. */
  readonly blocked?: ConditionDraft;
  /** Whether it is another trouble than the one of the former status, so that its time begins now. */
  readonly isNew: boolean;
}

/** Trouble that the kubelet has not given up on yet: it comes to a fatal reason, or to a start. */
const UNSETTLED: readonly string[] = [
  'ErrImagePull',
  'CreateContainerError',
  'RegistryUnavailable',
  'RunContainerError',
];

/** Both are the same failing pull, in turns. */
const OF_A_PULL: readonly string[] = ['ErrImagePull', 'ImagePullBackOff'];

/** After so long a run the kubelet itself begins to count crashes anew. */
const STEADY_MS = 10 * 60_000;

const subject = (container: string): string => `container "${container}" is waiting on `;

/**
 * The trouble of the first container that is in any, init containers first and a fatal one before one that is not; of
 * every pod that lives, whatever its phase.
 */
export function startTrouble(facts: RunFacts): StartVerdict {
  const pods = facts.pods.present.filter(mayStart);
  const troubles = pods.flatMap((pod) => statusesOf(pod).flatMap((status) => troubleOf(pod, status) ?? []));
  const found = troubles.find(({ isFatal }) => isFatal) ?? troubles[0];
  const since = blockedSince(facts, pods);
  const isNew = since === undefined;
  // Between two crashes a container runs for a while, and its trouble goes on.
  if (found === undefined) return { isNew, ...(since !== undefined && { blocked: since.condition }) };
  const trouble = { ...found, detail: specificDetail(found, since?.condition) };
  // A reason that alternates with a fatal one does not start the clock anew.
  const isFatal = found.isFatal || since?.condition.status === 'True';
  return {
    trouble,
    isNew,
    ...(found.isFatal && { remainingMs: remaining(found.reason, facts, since) }),
    blocked: { status: isFatal ? 'True' : 'Unknown', reason: found.reason, message: describeTrouble(trouble) },
  };
}

/** Not a pod on its way out, nor one of which its node has said why it ended. */
function mayStart(pod: Pod): boolean {
  const hasEnded = pod.status?.phase === 'Succeeded' || (pod.status?.phase === 'Failed' && pod.status.reason);
  return pod.metadata.deletionTimestamp === undefined && !hasEnded;
}

/** A trouble as a message says it while the run waits. */
export function describeTrouble({ container, reason, detail }: StartTrouble): string {
  return `${subject(container)}${reason}${detail === '' ? '' : `: ${detail}`}`;
}

/** Init containers first: nothing else starts before they are done. */
export function statusesOf(pod: Pod): readonly ContainerStatus[] {
  return [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
}

function troubleOf(pod: Pod, status: ContainerStatus): StartTrouble | undefined {
  const waiting = status.state?.waiting;
  const reason = waiting?.reason ?? '';
  // CrashLoopBackOff cannot come from restartPolicy Never, which is what is rendered: it guards other workloads.
  const isFatal = SETTLED_WAITING_REASONS.includes(reason);
  if (!isFatal && !UNSETTLED.includes(reason)) return undefined;
  return { pod, container: status.name, reason, detail: ownDetail(status, reason), isFatal };
}

function ownDetail(status: ContainerStatus, reason: string): string {
  const exit = reason === 'CrashLoopBackOff' ? lastExit(status).replace(/^, /, '') : '';
  return exit === '' ? (status.state?.waiting?.message ?? '') : exit;
}

/** "Back-off" is no explanation: the error that was seen first is kept, from look to look in the condition. */
function specificDetail(trouble: StartTrouble, before: Condition | undefined): string {
  if (!OF_A_PULL.includes(trouble.reason) || before?.message.startsWith(subject(trouble.container)) !== true) {
    return trouble.detail;
  }
  const said = before.message.slice(subject(trouble.container).length);
  const [, reason = '', detail = ''] = /^(\w+): (.+)$/su.exec(said) ?? [];
  const details = OF_A_PULL.includes(reason) ? [detail, trouble.detail] : [trouble.detail];
  return details.find(isSpecific) ?? details[0] ?? '';
}

function isSpecific(detail: string): boolean {
  return detail !== '' && !/^back-off/i.test(detail);
}

interface Blocked {
  readonly at: number;
  readonly condition: Condition;
}

/**
 * Since when the run has been in trouble: from the former status, for as long as the container that it names has not
 * recovered.
 */
function blockedSince(facts: RunFacts, pods: readonly Pod[]): Blocked | undefined {
  const before = formerCondition(facts, RUN_CONDITION_TYPES.startBlocked);
  const at = instant(before?.lastTransitionTime);
  if (before === undefined || at === undefined) return undefined;
  const isStillBlocked = pods
    .flatMap((pod) => statusesOf(pod))
    .some((status) => before.message.startsWith(subject(status.name)) && !hasRecovered(status, facts.now));
  return isStillBlocked ? { at, condition: before } : undefined;
}

function hasRecovered({ state, restartCount = 0 }: ContainerStatus, now: number): boolean {
  if (state?.waiting !== undefined) return false;
  // Between two crashes a container runs for a while.
  const startedAt = instant(state?.running?.startedAt) ?? now;
  return restartCount === 0 || now - startedAt >= STEADY_MS || state?.terminated?.exitCode === 0;
}

function remaining(reason: string, facts: RunFacts, since: Blocked | undefined): number {
  if (HOPELESS_WAITING_REASONS.includes(reason)) return 0;
  const elapsed = since?.condition.status === 'True' ? Math.max(0, facts.now - since.at) : 0;
  return Math.max(0, facts.options.fatalGraceSeconds * 1000 - elapsed);
}
