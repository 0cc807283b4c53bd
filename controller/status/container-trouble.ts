import { SETTLED_WAITING_REASONS } from '../../lib/api/reasons.js';
import type { Condition, ContainerStatus, Pod } from '../kube/objects.js';

/** Why a container does not run. */
export interface ContainerTrouble {
  readonly container: string;
  /** The kubelet's own word. */
  readonly reason: string;
  readonly message: string;
  /** Whether the kubelet does not leave this state by itself within seconds. */
  readonly isSettled: boolean;
}

const PULL_BACK_OFF = 'ImagePullBackOff';

/** Restarts from which on a container that is up and not ready counts as between two crashes. */
const LOOP_RESTARTS = 2;

/** After so long a run the kubelet itself begins to count anew. */
const BACK_OFF_RESET_MS = 10 * 60_000;

/**
 * The container to blame, init containers first: one in a settled state before one that is merely starting. Undefined
 * when no container waits and none restarts again and again.
 */
export function containerTrouble(pod: Pod, now: number): ContainerTrouble | undefined {
  const troubles = statusesOf(pod).flatMap((status) => troubleOf(status, now) ?? []);
  return troubles.find((trouble) => trouble.isSettled) ?? troubles[0];
}

/** Each count is an int32, and so is the sum in the status: past it the API server would take no status at all. */
const MOST_RESTARTS = 2 ** 31 - 1;

/** Restarts of all containers of a pod. */
export function restartsOf(pod: Pod): number {
  const sum = statusesOf(pod).reduce((all, status) => all + (status.restartCount ?? 0), 0);
  return Math.min(sum, MOST_RESTARTS);
}

function statusesOf({ status }: Pod): readonly ContainerStatus[] {
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
}

function troubleOf(status: ContainerStatus, now: number): ContainerTrouble | undefined {
  const loop = crashLoop(status, now);
  if (loop !== undefined) return loop;
  const waiting = status.state?.waiting;
  if (waiting === undefined) return undefined;
  const reason = waiting.reason ?? 'ContainerCreating';
  const detail = waiting.message === undefined || waiting.message === '' ? '' : `: ${waiting.message}`;
  return {
    container: status.name,
    reason,
    message: `container "${status.name}" is waiting on ${reason}${detail}`,
    isSettled: SETTLED_WAITING_REASONS.includes(reason),
  };
}

/**
 * Between two pulls the kubelet says ErrImagePull for a moment. That is the same trouble as before, so the status does
 * not flap with it. `former` is PodReady as it was for this very pod.
 */
export function steadyTrouble(
  trouble: ContainerTrouble | undefined,
  former: Condition | undefined,
): ContainerTrouble | undefined {
  const isNextPull =
    trouble?.reason === 'ErrImagePull' &&
    former?.reason === PULL_BACK_OFF &&
    former.message.startsWith(`container "${trouble.container}" `);
  return isNextPull ? { ...trouble, reason: PULL_BACK_OFF, message: former.message, isSettled: true } : trouble;
}

/**
 * A loop reads the same whether the container waits for its next start or is up between two crashes, so that the status
 * does not flap with it.
 */
function crashLoop(status: ContainerStatus, now: number): ContainerTrouble | undefined {
  if (!isLooping(status, now)) return undefined;
  return {
    container: status.name,
    reason: 'CrashLoopBackOff',
    message: `container "${status.name}" keeps crashing, ${status.restartCount ?? 0} restarts${lastExit(status)}`,
    isSettled: true,
  };
}

function isLooping(status: ContainerStatus, now: number): boolean {
  const { state, restartCount = 0 } = status;
  if (state?.waiting !== undefined) {
    const { reason } = state.waiting;
    return reason === 'CrashLoopBackOff' || (restartCount >= LOOP_RESTARTS && reason === 'RunContainerError');
  }
  return hasCrashedAgain(status) && !(steadyAfterMs(status, now) <= 0);
}

function hasCrashedAgain({ state, ready, restartCount = 0, lastState }: ContainerStatus): boolean {
  const hasEnded = (lastState?.terminated ?? state?.terminated) !== undefined;
  return restartCount >= LOOP_RESTARTS && hasEnded && ready !== true;
}

/** Until a container has been up for so long that it crashes no more; NaN where that cannot be told. */
function steadyAfterMs({ state }: ContainerStatus, now: number): number {
  return Date.parse(state?.running?.startedAt ?? '') + BACK_OFF_RESET_MS - now;
}

/** Until a container that is up between two crashes counts as steady, should nothing else happen; undefined for none. */
export function loopEndsAfterMs(pod: Pod, now: number): number | undefined {
  const ends = statusesOf(pod)
    .filter(hasCrashedAgain)
    .map((status) => steadyAfterMs(status, now))
    .filter((afterMs) => afterMs > 0);
  return ends.length === 0 ? undefined : Math.min(...ends);
}

/** How a container ended last, as the tail of a message: empty when it never did. */
export function lastExit({ state, lastState }: ContainerStatus): string {
  const exit = state?.terminated ?? lastState?.terminated;
  if (exit === undefined) return '';
  const said = exit.message === undefined || exit.message === '' ? '' : `: ${exit.message}`;
  return `, last exit: ${exit.reason ?? 'Error'} (exit code ${exit.exitCode ?? 'unknown'})${said}`;
}
