import type {
  Binding,
  Condition,
  ContainerStatus,
  Deployment,
  DeploymentCondition,
  KubeObject,
  Pod,
  PodCondition,
} from '../../controller/kube/objects.js';
import type { ObservedAgent, ProbeAnswer, ProbeObservation } from '../../controller/status/observed.js';
import { clusterRoleBindingName, roleBindingName } from '../../lib/names.js';

/** Server time of every observation. */
export const NOW = Date.parse('2026-03-01T12:00:00Z');

/** The digest of the spec of every observed agent, unless a test says otherwise. */
export const DIGEST = `v1:${'a'.repeat(64)}`;

/** The time so many seconds before {@link NOW}, as the API server stores it. */
export const ago = (seconds: number): string => new Date(NOW - seconds * 1000).toISOString().replace('.000Z', 'Z');

export const MINUTE = 60;
export const HOUR = 3600;

const LABELS = { 'hermes-gitops.dev/agent': 'mina', 'hermes-gitops.dev/agent-namespace': 'lab' };

const meta = (name: string, uid: string, createdAgo = HOUR): KubeObject['metadata'] => ({
  name,
  namespace: 'lab',
  uid,
  resourceVersion: '1',
  creationTimestamp: ago(createdAgo),
  labels: LABELS,
});

const ownedBy = (kind: string, uid: string): Pick<KubeObject['metadata'], 'ownerReferences'> => ({
  ownerReferences: [{ apiVersion: 'apps/v1', kind, name: 'owner', uid, controller: true }],
});

export interface DeploymentParts {
  readonly replicas?: number;
  readonly generation?: number;
  readonly observedGeneration?: number;
  readonly counts?: { readonly replicas: number; readonly updatedReplicas: number; readonly readyReplicas: number };
  readonly conditions?: readonly DeploymentCondition[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly digest?: string | null;
}

/** A rollout that goes on, since so many seconds. */
export const rollingSince = (seconds: number): DeploymentCondition => ({
  type: 'Progressing',
  status: 'True',
  reason: 'ReplicaSetUpdated',
  lastTransitionTime: ago(seconds),
  lastUpdateTime: ago(seconds),
});

/** A rollout that came to its end long ago. */
export const ROLLED_OUT: DeploymentCondition = {
  type: 'Progressing',
  status: 'True',
  reason: 'NewReplicaSetAvailable',
  lastTransitionTime: ago(HOUR),
  lastUpdateTime: ago(HOUR),
};

/** A rollout that took too long. */
export const TOO_LATE: DeploymentCondition = {
  type: 'Progressing',
  status: 'False',
  reason: 'ProgressDeadlineExceeded',
  message: 'ReplicaSet "hermes-mina-1" has timed out progressing.',
  lastTransitionTime: ago(0),
  lastUpdateTime: ago(0),
};

/** One pod, up to date and ready; `null` for the counts of a Deployment without a ready pod. */
export const ONE_READY = { replicas: 1, updatedReplicas: 1, readyReplicas: 1 };
export const NONE_READY = { replicas: 1, updatedReplicas: 1, readyReplicas: 0 };
export const NO_POD = { replicas: 0, updatedReplicas: 0, readyReplicas: 0 };

/** The agent's Deployment, rolled out and with one ready pod unless told otherwise. */
export function deployment(parts: DeploymentParts = {}): Deployment {
  const { replicas = 1, generation = 1, counts = ONE_READY, conditions = [ROLLED_OUT], labels = LABELS } = parts;
  const { observedGeneration = generation, digest = DIGEST } = parts;
  return {
    metadata: {
      ...meta('hermes-mina', 'deployment-uid'),
      generation,
      labels,
      annotations: {
        'deployment.kubernetes.io/revision': '1',
        ...(digest !== null && { 'hermes-gitops.dev/spec-digest': digest }),
      },
    },
    spec: { replicas, progressDeadlineSeconds: 600 },
    status: { observedGeneration, ...counts, conditions },
  };
}

/** A ReplicaSet of the agent's Deployment. */
export function replicaSet(revision = '1', owner = 'deployment-uid'): KubeObject {
  return {
    metadata: {
      ...meta(`hermes-mina-${revision}`, `set-uid-${revision}`),
      ...ownedBy('Deployment', owner),
      annotations: { 'deployment.kubernetes.io/revision': revision },
    },
  };
}

export interface PodParts {
  readonly name?: string;
  readonly revision?: string;
  readonly owner?: string;
  readonly createdAgo?: number;
  readonly isTerminating?: boolean;
  readonly phase?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly ready?: Partial<PodCondition>;
  readonly scheduled?: Partial<PodCondition>;
  readonly init?: readonly ContainerStatus[] | null;
  readonly containers?: readonly ContainerStatus[] | null;
}

/** A container that runs and is ready. */
export const RUNNING: ContainerStatus = {
  name: 'hermes',
  ready: true,
  restartCount: 0,
  state: { running: { startedAt: ago(HOUR) } },
};

/** A container that waits. */
export const waiting = (reason: string, message = '', more: Partial<ContainerStatus> = {}): ContainerStatus => ({
  name: 'hermes',
  ready: false,
  restartCount: 0,
  state: { waiting: { reason, message } },
  ...more,
});

/** A container that waits for its next start after so many crashes. */
export const looping = (
  restartCount: number,
  exit: { readonly reason: string; readonly exitCode: number },
  more: Partial<ContainerStatus> = {},
): ContainerStatus =>
  waiting('CrashLoopBackOff', 'back-off 5m0s restarting failed container', {
    restartCount,
    lastState: { terminated: exit },
    ...more,
  });

/** A pod of the agent, ready unless told otherwise. */
export function pod(parts: PodParts = {}): Pod {
  const { name = 'hermes-mina-1-x', revision = '1', createdAgo = HOUR, containers = [RUNNING], init } = parts;
  const { phase = 'Running', reason, message, ready, scheduled, isTerminating = false } = parts;
  return {
    metadata: {
      ...meta(name, `${name}-uid`, createdAgo),
      ...ownedBy('ReplicaSet', parts.owner ?? `set-uid-${revision}`),
      ...(isTerminating && { deletionTimestamp: ago(10) }),
    },
    spec: { containers: [{ name: 'hermes', image: 'registry.example.net/hermes:v1' }] },
    status: {
      phase,
      ...(reason !== undefined && { reason }),
      ...(message !== undefined && { message }),
      conditions: [
        { type: 'PodScheduled', status: 'True', ...scheduled },
        { type: 'Ready', status: 'True', ...ready },
      ],
      ...(init !== undefined && { initContainerStatuses: init }),
      containerStatuses: containers,
    },
  };
}

/** A pod that is not ready. */
export const unreadyPod = (parts: PodParts = {}): Pod =>
  pod({ phase: 'Pending', ...parts, ready: { status: 'False', ...parts.ready } });

/** A condition that the controller wrote before. */
export const former = (
  type: string,
  status: Condition['status'],
  reason: string,
  parts: { readonly heldFor?: number; readonly message?: string; readonly generation?: number } = {},
): Condition => ({
  type,
  status,
  observedGeneration: parts.generation ?? 1,
  lastTransitionTime: ago(parts.heldFor ?? HOUR),
  reason,
  message: parts.message ?? '',
});

/** A RoleBinding (with a namespace) or ClusterRoleBinding of the agent. */
export function binding(
  roleRef: { readonly kind: 'Role' | 'ClusterRole'; readonly name: string },
  parts: { readonly namespace?: string; readonly subjects?: Binding['subjects']; readonly role?: string } = {},
): Binding {
  const { namespace, subjects = [{ kind: 'ServiceAccount', name: 'hermes-mina', namespace: 'lab' }] } = parts;
  return {
    kind: namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
    metadata: {
      uid: 'binding-uid',
      resourceVersion: '1',
      creationTimestamp: ago(HOUR),
      labels: LABELS,
      ...(namespace !== undefined && { namespace }),
      name:
        namespace === undefined
          ? clusterRoleBindingName('mina', 'lab', roleRef)
          : roleBindingName('mina', 'lab', namespace, roleRef),
    },
    roleRef: { ...roleRef, ...(parts.role !== undefined && { name: parts.role }) },
    subjects,
  };
}

/** An object with the agent's labels, by kind and name. */
export const child = (kind: string, name: string, metadata: Partial<KubeObject['metadata']> = {}): KubeObject => ({
  kind,
  metadata: { ...meta(name, `${kind}-uid`), ...metadata },
});

/** A readable answer of a dashboard. */
export function answer(
  platforms: Readonly<Record<string, string | { readonly state: string; readonly message: string }>>,
  parts: Partial<Omit<ProbeAnswer, 'platforms'>> = {},
): ProbeObservation {
  const states = Object.entries(platforms).map(([type, platform]) => {
    const { state, message } = typeof platform === 'string' ? { state: platform, message: undefined } : platform;
    return [type, { state, errorCode: undefined, errorMessage: message }] as const;
  });
  const known = { gatewayRunning: true, gatewayState: 'running', exitReason: undefined, activeSessions: 2 };
  return { failures: 0, last: { at: NOW, ...known, ...parts, platforms: new Map(states) } };
}

export interface AgentParts extends Partial<Omit<ObservedAgent, 'agent'>> {
  readonly spec?: unknown;
  readonly generation?: number;
  readonly createdAgo?: number;
  readonly phase?: string;
  readonly podName?: string;
  readonly conditions?: readonly Condition[];
  /** Leaves the Deployment out. */
  readonly isBare?: boolean;
}

/** The agent "mina" of namespace "lab", with a Deployment, a ReplicaSet and a ready pod unless told otherwise. */
export function observedAgent(parts: AgentParts = {}): ObservedAgent {
  const { spec = {}, generation = 1, createdAgo = HOUR, phase, podName, conditions, isBare, ...rest } = parts;
  return {
    agent: {
      metadata: { ...meta('mina', 'agent-uid', createdAgo), labels: {}, generation },
      spec,
      ...(phase !== undefined && {
        status: { observedGeneration: 1, phase, ...(podName && { podName }), conditions: conditions ?? [] },
      }),
    },
    problems: [],
    specDigest: DIGEST,
    ...(isBare !== true && { deployment: deployment() }),
    replicaSets: [replicaSet()],
    pods: isBare === true ? [] : [pod()],
    secrets: new Map(),
    bindings: { state: 'read', items: [] },
    gates: { allowedClusterRoles: ['view', 'log-reader'], allowedBindingNamespaces: ['shared'] },
    ...rest,
  };
}
