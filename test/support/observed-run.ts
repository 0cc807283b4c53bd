import type { Condition, ContainerStatus, KubeObject, Pod, PodCondition } from '../../controller/kube/objects.js';
import type { Job, Sandbox, StoredRunStatus, WorkloadCondition } from '../../controller/runs/objects.js';
import type { ObservedRun, RunOptions } from '../../controller/runs/observed-run.js';
import type { RunStatus } from '../../controller/runs/run-verdict.js';
import { ago, HOUR, NOW } from './observed-agent.js';

export { ago, HOUR, NOW };

/** The API server's labels of everything that was rendered for the run "sum-1". */
const LABELS = { 'hermes-gitops.dev/run': 'sum-1', 'app.kubernetes.io/managed-by': 'hermes-gitops' };

const meta = (name: string, uid: string, createdAgo: number): KubeObject['metadata'] => ({
  name,
  namespace: 'lab',
  uid,
  resourceVersion: '1',
  creationTimestamp: ago(createdAgo),
  labels: LABELS,
});

export const RUN_OPTIONS: RunOptions = {
  startupDeadlineSeconds: 0,
  fatalGraceSeconds: 0,
  ttlSeconds: -1,
  trackingMarks: [],
};

export interface JobParts {
  readonly uid?: string;
  readonly createdAgo?: number;
  readonly startedAgo?: number | null;
  readonly suspend?: boolean;
  readonly backoffLimit?: number;
  readonly completedAgo?: number;
  readonly conditions?: readonly WorkloadCondition[];
  readonly metadata?: Partial<KubeObject['metadata']>;
}

/** The Job of the run, created and started a minute ago unless told otherwise. */
export function job(parts: JobParts = {}): Job {
  const { uid = 'job-uid', createdAgo = 60, startedAgo = createdAgo, suspend, backoffLimit = 0, completedAgo } = parts;
  return {
    metadata: { ...meta('hermes-run-sum-1', uid, createdAgo), ...parts.metadata },
    spec: { backoffLimit, ...(suspend !== undefined && { suspend }) },
    status: {
      ...(startedAgo !== null && { startTime: ago(startedAgo) }),
      ...(completedAgo !== undefined && { completionTime: ago(completedAgo) }),
      conditions: parts.conditions ?? [],
    },
  };
}

/** A condition of a workload that is True since so many seconds. */
export const holds = (type: string, reason: string, heldFor = 10, message = ''): WorkloadCondition => ({
  type,
  status: 'True',
  reason,
  message,
  lastTransitionTime: ago(heldFor),
});

/** The last word of a Job that was active for too long. */
export const TOO_LONG = holds('Failed', 'DeadlineExceeded', 10, 'Job was active longer than specified deadline');

/** A condition of a pod that is evicted in a drain. */
export const DRAIN: PodCondition = {
  type: 'DisruptionTarget',
  status: 'True',
  reason: 'EvictionByEvictionAPI',
  message: 'Eviction API: evicting',
};

/** The last word of a Job whose pod failed. */
export const backoffExceeded = (heldFor = 10): WorkloadCondition =>
  holds('Failed', 'BackoffLimitExceeded', heldFor, 'Job has reached the specified backoff limit');

/** The Sandbox of the run, a minute old. */
export function sandbox(
  parts: {
    readonly operatingMode?: string;
    readonly conditions?: readonly WorkloadCondition[];
    readonly metadata?: Partial<KubeObject['metadata']>;
  } = {},
): Sandbox {
  const { operatingMode = 'Running', conditions = [], metadata } = parts;
  return {
    metadata: { ...meta('hermes-run-sum-1', 'sandbox-uid', 60), ...metadata },
    spec: { operatingMode },
    status: { conditions },
  };
}

export interface RunPodParts {
  readonly name?: string;
  readonly uid?: string;
  readonly owner?: string;
  readonly createdAgo?: number;
  readonly deletedAgo?: number;
  readonly phase?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly conditions?: readonly PodCondition[];
  readonly init?: readonly ContainerStatus[] | null;
  readonly containers?: readonly ContainerStatus[] | null;
}

/** A container in its first start. */
export const creating = (name = 'agent'): ContainerStatus => waits('ContainerCreating', '', name);

/** A container that waits. */
export const waits = (reason: string, message = '', name = 'agent'): ContainerStatus => ({
  name,
  ready: false,
  restartCount: 0,
  state: { waiting: message === '' ? { reason } : { reason, message } },
});

/** A container that runs since so many seconds. */
export const runs = (startedAgo = 50, name = 'agent'): ContainerStatus => ({
  name,
  ready: true,
  restartCount: 0,
  state: { running: { startedAt: ago(startedAgo) } },
});

/** A container that ran for forty seconds and ended ten seconds ago. */
export const ended = (
  exitCode: number,
  parts: {
    readonly name?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly endedAgo?: number;
    readonly startedAgo?: number;
  } = {},
): ContainerStatus => {
  const { name = 'agent', reason = exitCode === 0 ? 'Completed' : 'Error', message, endedAgo = 10 } = parts;
  const times = { startedAt: ago(parts.startedAgo ?? endedAgo + 40), finishedAt: ago(endedAgo) };
  return {
    name,
    ready: false,
    restartCount: 0,
    state: { terminated: { exitCode, reason, ...(message !== undefined && { message }), ...times } },
  };
};

/** A pod of the run's Job: it runs unless told otherwise. */
export function runPod(parts: RunPodParts = {}): Pod {
  const { name = 'hermes-run-sum-1-x', uid = `${name}-uid`, owner = 'job-uid', createdAgo = 58 } = parts;
  const { phase = 'Running', reason, message, deletedAgo, init, containers = [runs()] } = parts;
  const kind = owner.startsWith('sandbox') ? 'Sandbox' : 'Job';
  return {
    metadata: {
      ...meta(name, uid, createdAgo),
      labels: { ...LABELS, ...(kind === 'Job' && { 'batch.kubernetes.io/controller-uid': owner }) },
      ownerReferences: [{ apiVersion: 'batch/v1', kind, name: 'hermes-run-sum-1', uid: owner, controller: true }],
      ...(deletedAgo !== undefined && { deletionTimestamp: ago(deletedAgo) }),
    },
    status: {
      phase,
      ...(reason !== undefined && { reason }),
      ...(message !== undefined && { message }),
      startTime: ago(createdAgo - 1),
      conditions: parts.conditions ?? [{ type: 'PodScheduled', status: 'True' }],
      ...(init !== undefined && { initContainerStatuses: init }),
      containerStatuses: containers,
    },
  };
}

/** A pod that has not begun: its container waits. */
export const pendingPod = (container: ContainerStatus, parts: RunPodParts = {}): Pod =>
  runPod({ phase: 'Pending', containers: [container], ...parts });

/** A pod that no node takes. */
export const unschedulablePod = (message = '0/3 nodes are available: 3 Insufficient memory.'): Pod =>
  runPod({
    phase: 'Pending',
    containers: null,
    conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }],
  });

/** A pod whose agent has ended, and the pod with it. */
export const endedPod = (container: ContainerStatus, parts: RunPodParts = {}): Pod =>
  runPod({
    phase: container.state?.terminated?.exitCode === 0 ? 'Succeeded' : 'Failed',
    containers: [container],
    ...parts,
  });

export interface RunParts extends Partial<Omit<ObservedRun, 'run' | 'options'>> {
  readonly spec?: unknown;
  readonly metadata?: Partial<KubeObject['metadata']>;
  readonly status?: StoredRunStatus;
  readonly options?: Partial<RunOptions>;
  /** Leaves the Job out. */
  readonly isBare?: boolean;
}

/** The run "sum-1" of namespace "lab", with a Job a minute old and no pod unless told otherwise. */
export function observedRun(parts: RunParts = {}): ObservedRun {
  const { spec = {}, metadata, status, options, isBare = false, pods = [], ...rest } = parts;
  return {
    run: {
      metadata: { ...meta('sum-1', 'run-uid', 61), labels: {}, generation: 1, ...metadata },
      spec,
      ...(status !== undefined && { status }),
    },
    ...(!isBare && parts.sandbox === undefined && { job: job() }),
    pods,
    options: { ...RUN_OPTIONS, ...options },
    ...rest,
  };
}

/** The same run after a status was stored. */
export function stored(observed: ObservedRun, status: StoredRunStatus | RunStatus): ObservedRun {
  return { ...observed, run: { ...observed.run, status: { ...status } } };
}

/** The status of a run that was seen running in its first pod. */
export const RAN: StoredRunStatus = {
  observedGeneration: 1,
  phase: 'Running',
  workload: { kind: 'Job', name: 'hermes-run-sum-1', uid: 'job-uid' },
  podName: 'hermes-run-sum-1-x',
  podUID: 'hermes-run-sum-1-x-uid',
  startTime: ago(50),
  conditions: [],
};

/** A condition that the controller wrote before. */
export const wrote = (
  type: string,
  status: Condition['status'],
  reason: string,
  parts: { readonly heldFor?: number; readonly message?: string } = {},
): Condition => ({
  type,
  status,
  observedGeneration: 1,
  lastTransitionTime: ago(parts.heldFor ?? HOUR),
  reason,
  message: parts.message ?? '',
});
