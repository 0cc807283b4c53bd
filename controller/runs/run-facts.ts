import type { Condition, Pod } from '../kube/objects.js';
import { hasStarted, isLive, leftBehind, pinned, podsOf, type RunPods } from './pods-of-run.js';
import type { StoredRun, StoredRunStatus } from './objects.js';
import type { ObservedRun, RunOptions } from './observed-run.js';
import { viewRunSpec, type RunSpecView } from './run-spec.js';
import type { RunPhase } from './run-verdict.js';
import { workloadOf, type Workload } from './workload.js';

/** What follows from the observed objects before any rule has judged them. */
export interface RunFacts {
  readonly run: StoredRun;
  readonly spec: RunSpecView;
  readonly options: RunOptions;
  readonly generation: number;
  /** Server time in milliseconds. */
  readonly now: number;
  readonly stored: StoredRunStatus;
  readonly formerPhase: RunPhase | undefined;
  readonly formerConditions: readonly Condition[];
  /** The workload, if it is the run's. */
  readonly workload: Workload | undefined;
  /** The workload may be there: its kind is not watched. */
  readonly isWorkloadUnknown: boolean;
  /** The workload is another one than the run was seen in before. */
  readonly isReplaced: boolean;
  /** The run had started, and the workload that it started in is not there any more. */
  readonly isLost: boolean;
  readonly pods: RunPods;
  /** The pod to speak of: the newest that lives, else the newest. */
  readonly pod: Pod | undefined;
  /** The pod that the run was seen in, where it lives on without the workload. */
  readonly orphan: Pod | undefined;
  readonly mountFailure: string | undefined;
}

const PHASES: readonly RunPhase[] = ['Pending', 'Running', 'Succeeded', 'Failed'];

/** Gathers the facts from what can be believed. */
export function gatherRunFacts(observed: ObservedRun, now: number): RunFacts {
  const { run } = observed;
  const spec = viewRunSpec(run.spec);
  const stored = run.status ?? {};
  const identity = identify(observed, spec);
  // Once the workload is gone its pods are still known by the UID that was stored.
  const owner = identity.isLost ? stored.workload : (identity.workload ?? stored.workload);
  const owned = podsOf(owner, observed.pods, observed.deletedPods);
  const pods = isFinal(identity.formerPhase) ? owned : pinned(owned, stored.podUID);
  return {
    run,
    spec,
    options: observed.options,
    generation: run.metadata.generation ?? 0,
    now,
    stored,
    formerConditions: stored.conditions ?? [],
    ...identity,
    pods,
    pod: pods.present.find(isLive) ?? pods.present[0],
    orphan: leftBehind(stored.podUID, stored.workload, observed.pods),
    mountFailure: observed.mountFailure,
  };
}

type Identity = Pick<RunFacts, 'formerPhase' | 'workload' | 'isWorkloadUnknown' | 'isReplaced' | 'isLost'>;

/** The workload of the run, and what has become of the one that it was seen in before. */
function identify(observed: ObservedRun, spec: RunSpecView): Identity {
  const stored = observed.run.status;
  const workload = workloadOf(observed);
  const formerPhase = PHASES.find((phase) => phase === stored?.phase);
  const isWorkloadUnknown = workload === undefined && observed.unwatched?.includes(spec.workload) === true;
  const former = stored?.workload;
  const isReplaced = workload !== undefined && former !== undefined && former.uid !== workload.uid;
  // A run may start and lose its workload between two looks.
  const hasBegun =
    formerPhase === 'Running' || (workload === undefined && podsOf(former, observed.pods).present.some(hasStarted));
  const isLost = hasBegun && !isWorkloadUnknown && (workload === undefined || isReplaced);
  return { formerPhase, workload, isWorkloadUnknown, isReplaced, isLost };
}

/** Whether a phase is final. */
export function isFinal(phase: RunPhase | undefined): phase is 'Succeeded' | 'Failed' {
  return phase === 'Succeeded' || phase === 'Failed';
}

/** A condition of the status that was stored before. */
export function formerCondition(facts: RunFacts, type: string): Condition | undefined {
  return facts.formerConditions.find((condition) => condition.type === type);
}

/**
 * Whether the run had started in another pod. Only the UID tells: a Sandbox gives each of its pods the same name, and the
 * clock of a node is no measure for the time at which a pod was made.
 */
export function isSecondPod(facts: RunFacts, pod: Pod): boolean {
  const { podUID } = facts.stored;
  return facts.formerPhase === 'Running' && podUID !== undefined && podUID !== pod.metadata.uid;
}
