import type { Pod } from '../kube/objects.js';
import { podEnd, type PodEnd } from './pod-end.js';
import { newestFirst } from './pods-of-run.js';
import { isSecondPod, type RunFacts } from './run-facts.js';

/**
 * The end of the pod that decides the run, if there is one that may: one that succeeded, else the newest of all.
 */
export function decisiveEnd(facts: RunFacts): PodEnd | undefined {
  const pods = countingPods(facts);
  const ends = pods.flatMap((pod) => endOf(pod, facts) ?? []).filter((end) => isDecisive(end, facts));
  const success = ends.find((end) => end.agent?.exitCode === 0);
  if (success !== undefined) return success;
  const triesAgain = facts.workload?.retries === true && facts.workload.end === undefined && !facts.isLost;
  return triesAgain ? undefined : ends.find((end) => end.pod === pods[0]);
}

function countingPods(facts: RunFacts): readonly Pod[] {
  const { present, gone } = facts.pods;
  const pods = [...present, ...gone].sort(newestFirst);
  return pods.filter((pod) => !isAnotherRun(facts, pod));
}

/**
 * Whether a pod came after the one that the run had started in, without a retry. A Sandbox makes one for each that goes,
 * and a Job for one that went before it was counted: by force, or without its finalizer.
 */
export function isAnotherRun(facts: RunFacts, pod: Pod): boolean {
  return facts.workload?.retries === false && !facts.isLost && isSecondPod(facts, pod);
}

function endOf(pod: Pod, { pods }: RunFacts): PodEnd | undefined {
  return podEnd(pod, { isGone: pods.gone.includes(pod) });
}

/**
 * The Job controller decides on pods that were deleted, because it deletes them itself too: past its deadline, or when
 * somebody suspends the Job.
 */
function isDecisive(end: PodEnd, facts: RunFacts): boolean {
  const { workload, isLost, pods, stored, formerPhase } = facts;
  if (!end.isDeleted || workload?.end !== undefined) return true;
  // With the workload gone only an agent that ended by itself has said anything.
  const isOwnWord = end.agent !== undefined && !end.isCutShort;
  if (workload === undefined || isLost) return isOwnWord;
  if (workload.isSuspended) return false;
  if (workload.kind === 'Job') return pods.present.some((pod) => isAnotherRun(facts, pod));
  // A pod that went before the run had started in it is followed by another one.
  const isStarted = formerPhase === 'Running' && stored.podUID === end.pod.metadata.uid;
  return isOwnWord || isStarted || !pods.gone.includes(end.pod);
}
