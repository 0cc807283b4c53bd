/**
 * The parts of Kubernetes objects that the controller reads. What comes from the API server is raw JSON, written by
 * anybody: every field is optional and its type is only what the API server enforces. Only a HermesAgent's spec may be
 * anything, because it may have been stored under an older schema.
 */
export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
}

/** Any object, by its metadata alone. */
export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
}

/** metav1.Condition. */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly observedGeneration?: number;
  readonly lastTransitionTime: string;
  readonly reason: string;
  readonly message: string;
}

/** A stored object of one of our kinds. `spec` is unknown until the validation engine has looked at it. */
export interface StoredObject extends KubeObject {
  readonly spec?: unknown;
  readonly status?: StoredStatus;
}

/** A stored status; fields of other owners may stand beside these. */
export interface StoredStatus {
  readonly observedGeneration?: number;
  readonly phase?: string;
  readonly conditions?: readonly Condition[];
  readonly [field: string]: unknown;
}

/** A stored HermesAgent. */
export type StoredAgent = StoredObject;

/** Status of a stored HermesAgent. */
export type StoredAgentStatus = StoredStatus;

export interface Deployment extends KubeObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly progressDeadlineSeconds?: number;
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly updatedReplicas?: number;
    readonly readyReplicas?: number;
    readonly conditions?: readonly DeploymentCondition[];
  };
}

export interface DeploymentCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
  readonly lastUpdateTime?: string;
}

export interface Pod extends KubeObject {
  readonly spec?: {
    readonly serviceAccountName?: string;
    readonly containers?: readonly { readonly name: string; readonly image?: string }[];
    readonly volumes?: readonly {
      readonly name: string;
      readonly persistentVolumeClaim?: { readonly claimName: string };
    }[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly podIP?: string;
    readonly startTime?: string;
    readonly conditions?: readonly PodCondition[];
    readonly initContainerStatuses?: readonly ContainerStatus[] | null;
    readonly containerStatuses?: readonly ContainerStatus[] | null;
  };
}

export interface PodCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

export interface ContainerStatus {
  readonly name: string;
  readonly image?: string;
  readonly ready?: boolean;
  readonly restartCount?: number;
  readonly state?: ContainerState;
  readonly lastState?: ContainerState;
}

export interface ContainerState {
  readonly waiting?: { readonly reason?: string; readonly message?: string };
  readonly running?: { readonly startedAt?: string };
  readonly terminated?: {
    readonly exitCode?: number;
    readonly signal?: number;
    readonly reason?: string;
    readonly message?: string;
    readonly startedAt?: string;
    readonly finishedAt?: string;
  };
}

/** RoleBinding or ClusterRoleBinding. */
export interface Binding extends KubeObject {
  readonly roleRef?: { readonly apiGroup?: string; readonly kind?: string; readonly name?: string };
  readonly subjects?: readonly {
    readonly kind?: string;
    readonly apiGroup?: string;
    readonly name?: string;
    readonly namespace?: string;
  }[];
}
