import { LABELS } from '../../lib/api/identity.js';
import type { Deployment, KubeObject, Pod } from '../kube/objects.js';

const REVISION = 'deployment.kubernetes.io/revision';

/** The pods that are really an agent's. */
export interface AgentPods {
  /** The newest pod of the current revision that is not on its way out. */
  readonly current: Pod | undefined;
  /** Every pod of any revision that still exists, whatever its state. */
  readonly all: readonly Pod[];
}

/** The Deployment if it was rendered for an agent of its own namespace; a label alone proves nothing. */
export function ownDeployment(deployment: Deployment | undefined): Deployment | undefined {
  const { namespace, labels } = deployment?.metadata ?? {};
  return labels?.[LABELS.agentNamespace] === namespace ? deployment : undefined;
}

/**
 * Pods by ownership: each has to be controlled by a ReplicaSet that is controlled by the Deployment, by UID. Labels only
 * selected the candidates.
 */
export function selectPods(
  deployment: Deployment | undefined,
  replicaSets: readonly KubeObject[],
  pods: readonly Pod[],
): AgentPods {
  if (deployment === undefined) return { current: undefined, all: [] };
  const owned = replicaSets.filter((set) => controllerOf(set) === deployment.metadata.uid);
  const revision = deployment.metadata.annotations?.[REVISION];
  const currentSets = new Set(owned.filter((set) => isOfRevision(set, revision)).map((set) => set.metadata.uid));
  const ownedSets = new Set(owned.map((set) => set.metadata.uid));
  const all = pods.filter((pod) => ownedSets.has(controllerOf(pod) ?? ''));
  const candidates = all
    .filter((pod) => pod.metadata.deletionTimestamp === undefined && currentSets.has(controllerOf(pod) ?? ''))
    .sort(newestFirst);
  // An evicted pod stays as a tombstone beside the one that took its place.
  return { current: candidates.find((pod) => !isOver(pod)) ?? candidates[0], all };
}

function controllerOf(object: KubeObject): string | undefined {
  return object.metadata.ownerReferences?.find((owner) => owner.controller === true)?.uid;
}

/** Until the Deployment has been given a revision every ReplicaSet of it may be the current one. */
function isOfRevision(replicaSet: KubeObject, revision: string | undefined): boolean {
  return revision === undefined || replicaSet.metadata.annotations?.[REVISION] === revision;
}

/** Whether a pod has ended for good. */
export function isOver(pod: Pod): boolean {
  return pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded';
}

function newestFirst(a: Pod, b: Pod): number {
  const [left, right] = [a.metadata, b.metadata];
  if (left.creationTimestamp !== right.creationTimestamp) {
    return left.creationTimestamp < right.creationTimestamp ? 1 : -1;
  }
  return left.name < right.name ? -1 : 1;
}
