import type { Condition, KubeObject } from '../kube/objects.js';

/** A stored AgentRun. `spec` may be anything: it may have been stored under another schema. */
export interface StoredRun extends KubeObject {
  readonly spec?: unknown;
  readonly status?: StoredRunStatus;
}

/** A stored status; fields of other owners may stand beside these. */
export interface StoredRunStatus {
  readonly observedGeneration?: number;
  readonly phase?: string;
  readonly workload?: { readonly kind: string; readonly name: string; readonly uid: string };
  readonly podName?: string;
  /** UID of that pod: a Sandbox gives each of its pods the same name. */
  readonly podUID?: string;
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly duration?: number;
  readonly exitCode?: number;
  readonly terminationData?: Readonly<Record<string, unknown>>;
  readonly conditions?: readonly Condition[];
  readonly [field: string]: unknown;
}

/** The parts of a Job that the rules read. */
export interface Job extends KubeObject {
  readonly spec?: {
    readonly suspend?: boolean;
    /** The API server fills in 6 where it is absent. */
    readonly backoffLimit?: number;
  };
  readonly status?: {
    readonly startTime?: string;
    readonly completionTime?: string;
    /** Pods that were counted as failed. */
    readonly failed?: number;
    readonly conditions?: readonly WorkloadCondition[];
  };
}

/** The parts of a Sandbox of `agents.x-k8s.io/v1beta1` that the rules read. */
export interface Sandbox extends KubeObject {
  readonly spec?: {
    /** `Running`, or `Suspended` for no pod. Running where it is absent. */
    readonly operatingMode?: string;
  };
  readonly status?: { readonly conditions?: readonly WorkloadCondition[] };
}

/** A condition of a Job (Complete, Failed, FailureTarget, Suspended) or of a Sandbox (Ready, Finished, Suspended). */
export interface WorkloadCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

/** What a run's spec says it is executed by. */
export type WorkloadKind = 'Job' | 'Sandbox';
