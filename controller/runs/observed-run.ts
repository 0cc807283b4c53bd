import type { Pod } from '../kube/objects.js';
import type { Job, Sandbox, StoredRun, WorkloadKind } from './objects.js';

/** Settings of the controller that the rules follow. */
export interface RunOptions {
  /** `--agentrun-startup-deadline`, for runs whose spec names none; 0 for none. */
  readonly startupDeadlineSeconds: number;
  /** `--agentrun-fatal-grace`: how long a fatal waiting reason may last. */
  readonly fatalGraceSeconds: number;
  /** `--agentrun-ttl`, for runs of the CLI whose spec names none; below 0 for never. */
  readonly ttlSeconds: number;
  /** `--tracking-marks`: label and annotation keys that mark an engine's objects, beside those that are known. */
  readonly trackingMarks: readonly string[];
}

/** The last deletion of a run of one namespace and name by this controller, whatever process carried it out. */
export interface FormerDeletion {
  /** Server time in milliseconds. */
  readonly at: number;
  /** UID of the run that was deleted. */
  readonly uid: string;
}

/**
 * All that is known of one run at one moment: plain objects, as the cache holds them. What was merely selected by name or
 * label is here unproved; the rules prove ownership themselves.
 */
export interface ObservedRun {
  readonly run: StoredRun;
  /** The Job of the computed name in the run's namespace, whatever the spec asks for. */
  readonly job?: Job;
  /** The Sandbox of the computed name in the run's namespace. */
  readonly sandbox?: Sandbox;
  /** Kinds that are not watched, so that an object that is absent here may well be there. None when absent. */
  readonly unwatched?: readonly WorkloadKind[];
  /** Pods of the namespace that carry the run's label. */
  readonly pods: readonly Pod[];
  /**
   * Last states of pods of the run that the watch reported as gone. A pod may end and be gone between two looks, and
   * this is then the only evidence of how it ended. A few of the latest are enough.
   */
  readonly deletedPods?: readonly Pod[];
  /**
   * The message of the last FailedMount event of the pod that `RunVerdict.wantsMountFailure` asked for; empty when there
   * is none or when events may not be read. The message of the run then merely says less.
   */
  readonly mountFailure?: string;
  /** Absent when this controller is not known to have deleted a run of this name. */
  readonly formerDeletion?: FormerDeletion;
  readonly options: RunOptions;
}
