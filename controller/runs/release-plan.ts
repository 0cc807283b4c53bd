import type { KubeObject } from '../kube/objects.js';
import { believableRun } from './believable-run.js';
import type { WorkloadKind } from './objects.js';
import type { ObservedRun } from './observed-run.js';
import { marksOf } from './tracking-marks.js';
import { workloadOf } from './workload.js';

/** What is done to the workload of a run that is being deleted, before the run goes. */
export interface ReleasePlan {
  readonly action: 'stop' | 'remove';
  readonly kind: WorkloadKind;
  readonly workload: KubeObject;
}

/**
 * Nothing goes on for a run that is gone. What an engine declares is stopped and left to it, for it would come back and
 * run again; all else is deleted. A workload that is younger than the deletion belongs to the next run of the name.
 */
export function releasePlan(observed: ObservedRun): ReleasePlan | undefined {
  const { run } = observed;
  const found = workloadOf(believableRun(observed));
  if (found === undefined || found.object.metadata.deletionTimestamp !== undefined) return undefined;
  const { kind, object: workload } = found;
  if (Date.parse(workload.metadata.creationTimestamp) > Date.parse(run.metadata.deletionTimestamp ?? '')) {
    return undefined;
  }
  const { trackingMarks } = observed.options;
  const isMarked = [run, workload].some((object) => marksOf(object, trackingMarks).length > 0);
  if (!isMarked) return { action: 'remove', kind, workload };
  const isAtRest = found.isToldToSuspend || (kind === 'Job' && found.end !== undefined);
  return isAtRest ? undefined : { action: 'stop', kind, workload };
}
