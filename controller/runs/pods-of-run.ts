import { RUN_CONTAINER } from '../../lib/api/identity.js';
import type { ContainerStatus, Pod } from '../kube/objects.js';
import { isOver } from '../status/pod-selection.js';

/** The pods that are really a run's, newest first. */
export interface RunPods {
  /** Those that exist. */
  readonly present: readonly Pod[];
  /** Last states of those that were seen to go. */
  readonly gone: readonly Pod[];
}

/** The label by which a Job counts its pods. It lets go of what it controls without it. */
export const JOB_UID_LABEL = 'batch.kubernetes.io/controller-uid';

/** What pods are known by. */
export interface PodOwner {
  readonly kind: string;
  readonly uid: string;
}

/**
 * Pods by ownership: each has to be controlled by the workload, by UID, and of a Job carry its mark. A Job that tries
 * again has several.
 */
export function podsOf(
  workload: PodOwner | undefined,
  pods: readonly Pod[],
  deletedPods: readonly Pod[] = [],
): RunPods {
  const own = (candidates: readonly Pod[]): Pod[] =>
    candidates.filter((pod) => workload !== undefined && isOwned(pod, workload)).sort(newestFirst);
  const present = own(pods);
  const uids = new Set(present.map(({ metadata }) => metadata.uid));
  return { present, gone: own(deletedPods).filter(({ metadata }) => !uids.has(metadata.uid)) };
}

/** The status of the container that runs the agent: by name, an injected sidecar may well come first. */
export function agentContainer(pod: Pod): ContainerStatus | undefined {
  return pod.status?.containerStatuses?.find(({ name }) => name === RUN_CONTAINER);
}

/** Whether the agent has ever been started in this pod. */
export function hasStarted(pod: Pod): boolean {
  const status = agentContainer(pod);
  if (status === undefined) return pod.status?.phase === 'Running';
  const { state, lastState } = status;
  return [state?.running, state?.terminated, lastState?.terminated].some((part) => part !== undefined);
}

/** A pod that neither has ended nor is on its way out. */
export function isLive(pod: Pod): boolean {
  return !isOver(pod) && pod.metadata.deletionTimestamp === undefined;
}

function isOwned({ metadata }: Pod, { kind, uid }: PodOwner): boolean {
  const controller = metadata.ownerReferences?.find((owner) => owner.controller === true);
  return controller?.uid === uid && (kind !== 'Job' || metadata.labels?.[JOB_UID_LABEL] === uid);
}

/** The pod of this UID, if it lives and its workload has let go of it: deleted with `--cascade=orphan`, for example. */
export function leftBehind(
  podUid: string | undefined,
  workload: PodOwner | undefined,
  pods: readonly Pod[],
): Pod | undefined {
  const found = pods.find((pod) => pod.metadata.uid === podUid && isLive(pod));
  const isControlled = found?.metadata.ownerReferences?.some(({ uid }) => uid === workload?.uid) === true;
  return isControlled ? undefined : found;
}

/**
 * The pods that count: the one that was seen in the run before, alone for as long as it lives. Whoever may create pods
 * can forge everything of another one but that UID.
 */
export function pinned(pods: RunPods, podUid: string | undefined): RunPods {
  const known = pods.present.find((pod) => pod.metadata.uid === podUid && isLive(pod));
  return known === undefined ? pods : { present: [known], gone: [] };
}

/** Order of pods by their creation. */
export function newestFirst(a: Pod, b: Pod): number {
  const [left, right] = [a.metadata, b.metadata];
  const [leftTime, rightTime] = [left.creationTimestamp, right.creationTimestamp];
  if (leftTime !== rightTime) return leftTime < rightTime ? 1 : -1;
  return left.name < right.name ? -1 : 1;
}
