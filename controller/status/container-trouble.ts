import { SETTLED_WAITING_REASONS } from '../../lib/api/reasons.js';
import type { ContainerStatus, Pod } from '../kube/objects.js';

/** Why a container does not run. */
export interface ContainerTrouble {
  /** The kubelet's own word. */
  readonly reason: string;
  readonly message: string;
  /** Whether the kubelet does not leave this state by itself within seconds. */
  readonly isSettled: boolean;
}

/** Restarts from which on a container that is up and not ready counts as between two crashes. */
const LOOP_RESTARTS = 2;

/**
 * The container to blame, init containers first: one in a settled state before one that is merely starting. Undefined
 * when no container waits and none restarts again and again.
 */
export function containerTrouble(pod: Pod): ContainerTrouble | undefined {
  const troubles = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])].flatMap(
    (status) => troubleOf(status) ?? [],
  );
  return troubles.find((trouble) => trouble.isSettled) ?? troubles[0];
}

/** Restarts of all containers of a pod. */
export function restartsOf(pod: Pod): number {
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
  return statuses.reduce((sum, status) => sum + (status.restartCount ?? 0), 0);
}

function troubleOf(status: ContainerStatus): ContainerTrouble | undefined {
  const loop = crashLoop(status);
  if (loop !== undefined) return loop;
  const waiting = status.state?.waiting;
  if (waiting === undefined) return undefined;
  const reason = waiting.reason ?? 'ContainerCreating';
  const detail = waiting.message === undefined || waiting.message === '' ? '' : `: ${waiting.message}`;
  return {
    reason,
    message: `container "${status.name}" is waiting on ${reason}${detail}`,
    isSettled: SETTLED_WAITING_REASONS.includes(reason),
  };
}

/**
 * A loop reads the same whether the container waits for its next start or is up between two crashes, so that the status
 * does not flap with it.
 */
function crashLoop(status: ContainerStatus): ContainerTrouble | undefined {
  if (!isLooping(status)) return undefined;
  return {
    reason: 'CrashLoopBackOff',
    message: `container "${status.name}" keeps crashing, ${status.restartCount ?? 0} restarts${lastExit(status)}`,
    isSettled: true,
  };
}

function isLooping({ state, ready, restartCount = 0, lastState }: ContainerStatus): boolean {
  if (state?.waiting !== undefined) return state.waiting.reason === 'CrashLoopBackOff';
  const hasEnded = (lastState?.terminated ?? state?.terminated) !== undefined;
  return hasEnded && ready !== true && restartCount >= LOOP_RESTARTS;
}

/** How a container ended last, as the tail of a message: empty when it never did. */
export function lastExit({ state, lastState }: ContainerStatus): string {
  const exit = state?.terminated ?? lastState?.terminated;
  if (exit === undefined) return '';
  const said = exit.message === undefined || exit.message === '' ? '' : `: ${exit.message}`;
  return `, last exit: ${exit.reason ?? 'Error'} (exit code ${exit.exitCode ?? 'unknown'})${said}`;
}
