import type { BindingGates } from '../../lib/api/binding-gates.js';
import type { Problem } from '../../lib/validation/problem.js';
import type { Binding, Deployment, KubeObject, Pod, StoredAgent } from '../kube/objects.js';

/** What is known of one Secret that an agent refers to. Values are never kept. */
export type SecretObservation =
  | { readonly state: 'found'; readonly keys: ReadonlySet<string> }
  | { readonly state: 'missing' }
  /** The read failed: 403, 5xx, a time-out. Not the same as missing. */
  | { readonly state: 'unreadable'; readonly message: string };

/** What is known of one role that a binding of the spec names. */
export type RoleObservation =
  | { readonly state: 'found' }
  | { readonly state: 'missing' }
  | { readonly state: 'unreadable'; readonly message: string };

/** What the dashboard of an agent's pod has said. */
export interface ProbeObservation {
  /** The last answer that could be read. */
  readonly last?: ProbeAnswer;
  /** Failures in a row since then. */
  readonly failures: number;
  /** Why it failed, in words that do not change while it goes on failing. */
  readonly failure?: string;
}

/** One readable answer of a dashboard; a field that was missing or of another type is undefined. */
export interface ProbeAnswer {
  /** Server time in milliseconds. */
  readonly at: number;
  readonly gatewayRunning: boolean | undefined;
  readonly gatewayState: string | undefined;
  readonly exitReason: string | undefined;
  readonly activeSessions: number | undefined;
  /** How long the gateway may drain before it restarts, in seconds. */
  readonly restartDrainTimeout?: number | undefined;
  /** By platform, which is a gateway's `type`. */
  readonly platforms: ReadonlyMap<string, PlatformState>;
}

/** State of one platform as the dashboard reports it. */
export interface PlatformState {
  readonly state: string | undefined;
  readonly errorCode: string | undefined;
  readonly errorMessage: string | undefined;
}

/**
 * All that is known of one agent at one moment: plain objects, as the cache holds them. Everything that was merely
 * selected by label is here unproved; `computeAgentStatus` proves ownership itself.
 */
export interface ObservedAgent {
  readonly agent: StoredAgent;
  /** Errors of the stored spec by the validation engine; empty when it validates. */
  readonly problems: readonly Problem[];
  /** Digest of the live spec; undefined when it does not validate. */
  readonly specDigest?: string;
  /** The Deployment of the computed name in the agent's namespace. */
  readonly deployment?: Deployment;
  /** ReplicaSets of the namespace that carry the agent's label: metadata only. */
  readonly replicaSets: readonly KubeObject[];
  /** Pods of the namespace that carry the agent's label. */
  readonly pods: readonly Pod[];
  /** By Secret name, for every Secret that the spec refers to. A name that is absent here has not been read yet. */
  readonly secrets: ReadonlyMap<string, SecretObservation>;
  /**
   * RoleBindings and ClusterRoleBindings with the agent's labels, any namespace. `unreadable` when the controller may
   * not list them. Absent while bindings are not watched.
   */
  readonly bindings?:
    | { readonly state: 'read'; readonly items: readonly Binding[] }
    | { readonly state: 'unreadable'; readonly message: string };
  /** By `<kind>/<namespace>/<name>` (`ClusterRole//name`), for every role that a binding of the spec names. */
  readonly roles?: ReadonlyMap<string, RoleObservation>;
  /** Every other object with the agent's labels, metadata with apiVersion and kind, for the leftovers check. */
  readonly children?: readonly KubeObject[];
  readonly gates: BindingGates;
  /**
   * Absent while nobody asks the dashboard: then the pod alone speaks for the agent. `{ failures: 0 }` from the moment
   * that somebody will, so that an agent is not called Ready before its gateways had a chance to answer.
   */
  readonly probe?: ProbeObservation;
}

export type { BindingGates };
