import { RUN_CONTAINER } from '../../lib/api/identity.js';
import type { ContainerState, Pod } from '../kube/objects.js';
import { isOver } from '../status/pod-selection.js';
import { agentContainer } from './pods-of-run.js';
import { instant } from './times.js';

type Termination = NonNullable<ContainerState['terminated']>;

/** How a pod of a run has ended, or how the agent in it has. */
export interface PodEnd {
  readonly pod: Pod;
  /** How the container of the agent ended, by name; undefined when it never did. */
  readonly agent: Termination | undefined;
  /** The pod was being deleted, or is gone: what ended it may not have been the agent itself. */
  readonly isDeleted: boolean;
  /** A disruption or a signal ended the agent, rather than the agent itself. */
  readonly isCutShort: boolean;
  /** In milliseconds; undefined where no part of the pod tells. */
  readonly at: number | undefined;
}

/** 128 and the number of SIGKILL, and of SIGTERM: what a deletion sends. */
const SIGNAL_CODES: readonly number[] = [137, 143];

/** How a pod ended; undefined while it may still do something for the run. */
export function podEnd(pod: Pod, { isGone }: { readonly isGone: boolean }): PodEnd | undefined {
  const agent = agentTermination(pod);
  if (agent === undefined && !isOver(pod) && !isGone) return undefined;
  const isDeleted = isGone || pod.metadata.deletionTimestamp !== undefined;
  const ready = pod.status?.conditions?.find(({ type, status }) => type === 'Ready' && status === 'False');
  const deletedAt = isGone ? instant(pod.metadata.deletionTimestamp) : undefined;
  return {
    pod,
    agent,
    isDeleted,
    isCutShort: isCutShort(pod, agent, isDeleted),
    at: instant(agent?.finishedAt) ?? (isOver(pod) ? instant(ready?.lastTransitionTime) : undefined) ?? deletedAt,
  };
}

/**
 * A pod that is gone and of which no look ever saw an end, or one that was declared failed for it: what collects the pods
 * of a node that is gone does so, and no container of such a pod has ended.
 */
function isCutShort(pod: Pod, agent: Termination | undefined, isDeleted: boolean): boolean {
  const isDisrupted = hasDisruption(pod);
  const end = agent ?? failedInit(pod)?.exit;
  const isBySignal = SIGNAL_CODES.includes(end?.exitCode ?? 0);
  if (agent !== undefined) return isBySignal && (isDeleted || isDisrupted);
  if (!isOver(pod)) return isDeleted;
  const isUnexplained = pod.status?.phase === 'Failed' && (pod.status.reason ?? '') === '';
  return isDisrupted && isUnexplained && (end === undefined || isBySignal);
}

function hasDisruption({ status: state }: Pod): boolean {
  return state?.conditions?.some(({ type, status }) => type === 'DisruptionTarget' && status === 'True') === true;
}

/** A container that starts again after its end has not ended: its pod says otherwise when it has. */
function agentTermination(pod: Pod): Termination | undefined {
  const status = agentContainer(pod);
  return status?.state?.terminated ?? (isOver(pod) ? status?.lastState?.terminated : undefined);
}

/** The init container that failed, so that the agent never began. */
export function failedInit(pod: Pod): { readonly name: string; readonly exit: Termination } | undefined {
  return (pod.status?.initContainerStatuses ?? []).flatMap(({ name, state, lastState }) => {
    const exit = state?.terminated ?? lastState?.terminated;
    return (exit?.exitCode ?? 0) !== 0 && exit !== undefined ? [{ name, exit }] : [];
  })[0];
}

/** A container's end in words, for example `container "agent" ended with exit code 1 (Error)`. */
export function describeExit(kind: string, name: string, exit: Termination): string {
  const { exitCode, reason } = exit;
  const word = reason === undefined || reason === 'Completed' || reason === 'Error' ? '' : ` (${reason})`;
  return `${kind} "${name}" ended with exit code ${exitCode ?? 'unknown'}${word}`;
}

/** The agent's end in words. */
export function describeAgentExit(exit: Termination): string {
  return describeExit('container', RUN_CONTAINER, exit);
}
