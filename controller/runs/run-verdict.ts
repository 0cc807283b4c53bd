import type { Condition } from '../kube/objects.js';
import type { WorkloadKind } from './objects.js';

/** The whole of a run in one word. The last two are final. */
export type RunPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed';

/** Every field of the status that the controller owns; one that is absent here is removed from the object. */
export interface RunStatus {
  readonly observedGeneration: number;
  readonly phase: RunPhase;
  readonly workload?: { readonly kind: string; readonly name: string; readonly uid: string };
  readonly podName?: string;
  /** UID of that pod: a Sandbox gives each of its pods the same name. */
  readonly podUID?: string;
  readonly startTime?: string;
  readonly completionTime?: string;
  /** Whole seconds from start to completion. */
  readonly duration?: number;
  readonly exitCode?: number;
  readonly terminationData?: Readonly<Record<string, unknown>>;
  readonly conditions: readonly Condition[];
}

/** A workload that has to stop so that its slot is free. */
export interface StopOrder {
  readonly kind: WorkloadKind;
  readonly namespace: string;
  readonly name: string;
  /** The patch must hold for this object alone. */
  readonly uid: string;
  /** Why, in one CamelCase word: `StartFailed`, `Finished` or `Restarted`. */
  readonly reason: StopReason;
}

export type StopReason =
  /** The run failed before it began. */
  | 'StartFailed'
  /** The outcome is decided and something of the workload goes on: an injected sidecar, a retry. */
  | 'Finished'
  /** Another workload appeared for a run that is over. */
  | 'Restarted';

/** Whether and when a run is deleted together with its workload. */
export type ReapDecision =
  /** Not by the passing of time: not over, no TTL, or somebody else's to delete. */
  | { readonly kind: 'keep' }
  /** Its time has not come. */
  | { readonly kind: 'wait'; readonly afterMs: number }
  /** Now. `reason` is a value of the metric's label. */
  | { readonly kind: 'delete'; readonly reason: 'TTL' };

/** An event to record on the run, once what it speaks of has been written. */
export interface RunEvent {
  readonly type: 'Normal' | 'Warning';
  /** CamelCase. */
  readonly reason: string;
  /** CamelCase: what was being done. */
  readonly action: string;
  readonly note: string;
}

/**
 * What has to be done for one run. In this order: write the status (unless it is stored already), record the events,
 * stop, reap. A workload is stopped only after its run's result is stored, so that a suspended workload of a run that is
 * not over was always suspended by somebody else.
 */
export interface RunVerdict {
  readonly status: RunStatus;
  /** When the verdict may change by the passing of time alone; a timer, never a poll. */
  readonly recheckAfterMs?: number;
  readonly stop?: StopOrder;
  readonly reap: ReapDecision;
  readonly events: readonly RunEvent[];
  /**
   * The pod waits for its volumes or its network, which only events tell apart: read the last FailedMount event of this
   * pod and judge again with it before the status is written. Only asked for when a run is about to fail.
   */
  readonly wantsMountFailure?: { readonly namespace: string; readonly name: string; readonly uid: string };
}
