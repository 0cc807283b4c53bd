/** Condition types of an AgentRun. */
export const RUN_CONDITION_TYPES = {
  /** Unknown while the run is in progress, then its outcome. Its reason is the column Reason. */
  succeeded: 'Succeeded',
  /** The object is as its spec asks: the run has succeeded. */
  ready: 'Ready',
  /** On its way. Only present while True. */
  reconciling: 'Reconciling',
  /** The run has failed. Only present while True, never beside Reconciling. */
  stalled: 'Stalled',
  /**
   * What keeps a container from starting, since the moment that it began. True for what does not get better by itself,
   * Unknown for what may yet. Only present until the run has started or ended.
   */
  startBlocked: 'StartBlocked',
  /** Whether the controller may delete the finished run. Only present when a TTL asks for it. */
  reapable: 'Reapable',
} as const;

/** Reasons of the conditions of a run. Beside these a run takes the words of the kubelet and of the Job controller. */
export const RUN_REASONS = {
  /** There is no Job or Sandbox of the run yet. */
  workloadMissing: 'WorkloadMissing',
  /** Somebody else holds the workload back, a queue for example. */
  suspended: 'Suspended',
  /** No node takes the pod. */
  unschedulable: 'Unschedulable',
  /** The pod is there, or about to be, and its container has not started. */
  podPending: 'PodPending',
  /** The container runs. */
  running: 'Running',
  /** The container ended with exit code 0. */
  succeeded: 'Succeeded',
  /** The container ended with another exit code than 0 and 2, or never ran. */
  failed: 'Failed',
  /** The container ended with exit code 2: the agent reached a limit of its own. */
  limitReached: 'LimitReached',
  /** The container did not start within the startup deadline. */
  startupDeadlineExceeded: 'StartupDeadlineExceeded',
  /** The run took longer than activeDeadlineSeconds. */
  deadlineExceeded: 'DeadlineExceeded',
  /** The node threw the pod out. */
  evicted: 'Evicted',
  /** The container used more memory than it may. */
  oomKilled: 'OOMKilled',
  /** The pod was deleted while it ran, by a drain for example. */
  podDeleted: 'PodDeleted',
  /** The workload was deleted after the run had started. */
  workloadLost: 'WorkloadLost',
  /** The stored spec is not one that the CRD accepts. */
  invalidSpec: 'InvalidSpec',
  /** Reapable: an engine or another manager declares the run and would start it again. */
  trackedByGitOps: 'TrackedByGitOps',
  /** Reapable: the run came back after the controller had deleted it. */
  recreatedByEngine: 'RecreatedByEngine',
  /** Reapable: the run is deleted when its TTL has passed. */
  ttlAfterFinished: 'TTLAfterFinished',
} as const;

/** Waiting reasons of the kubelet that no time heals: a run fails at once on them, whatever the grace. */
export const HOPELESS_WAITING_REASONS: readonly string[] = ['InvalidImageName', 'ErrImageNeverPull'];

/** Reasons of events on a run. */
export const RUN_EVENT_REASONS = {
  /** The container runs. */
  runStarted: 'RunStarted',
  /** The run has ended well. */
  runSucceeded: 'RunSucceeded',
  /** The run has failed; the note says of what. */
  runFailed: 'RunFailed',
  /** A workload appeared for a run that had ended, and was stopped. */
  runRestarted: 'RunRestarted',
  /** An engine declares a run that the controller had deleted; it is never deleted again. */
  recreatedByEngine: 'RecreatedByEngine',
} as const;
