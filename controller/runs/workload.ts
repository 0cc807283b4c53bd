import { ANNOTATIONS, LABELS, ORIGIN_CLI } from '../../lib/api/identity.js';
import { runWorkloadName } from '../../lib/names.js';
import type { KubeObject } from '../kube/objects.js';
import type { Job, Sandbox, StoredRun, WorkloadCondition, WorkloadKind } from './objects.js';
import type { ObservedRun } from './observed-run.js';
import { viewRunSpec } from './run-spec.js';
import { instant } from './times.js';

/** The last word of a workload on how it ended. */
export interface WorkloadEnd {
  readonly isSuccess: boolean;
  /** The word of the workload's own controller, for example BackoffLimitExceeded. */
  readonly reason: string;
  readonly message: string;
  /** Server time in milliseconds; undefined where it was not stored. */
  readonly at: number | undefined;
}

/** A Job or a Sandbox, as the rules see it. */
export interface Workload {
  readonly kind: WorkloadKind;
  readonly uid: string;
  readonly object: KubeObject;
  /** From when the startup deadline counts, in milliseconds; undefined where nothing tells. */
  readonly startedAt: number | undefined;
  /** No pod is wanted: set by somebody, a queue for example, or by this controller once the run was over. */
  readonly isSuspended: boolean;
  /** Whether it is asked to be suspended, carried out or not. */
  readonly isToldToSuspend: boolean;
  readonly end: WorkloadEnd | undefined;
  /** Whether a pod that failed is followed by another one. */
  readonly retries: boolean;
}

/** The workload of a run, if the object of the computed name was rendered for it. */
export function workloadOf({ run, job, sandbox }: ObservedRun): Workload | undefined {
  if (viewRunSpec(run.spec).workload === 'Sandbox') {
    return sandbox !== undefined && isOwn(sandbox, run) ? viewSandbox(sandbox) : undefined;
  }
  return job !== undefined && isOwn(job, run) ? viewJob(job) : undefined;
}

/**
 * By name, namespace and label; one that another run of the same name controls is what that one has left behind. The
 * command makes its run first and its workload with the run as controller: without that it was there before.
 */
function isOwn({ metadata }: KubeObject, run: StoredRun): boolean {
  const { name, namespace, uid, annotations } = run.metadata;
  const controller = metadata.ownerReferences?.find((owner) => owner.controller === true);
  const isOfCli = annotations?.[ANNOTATIONS.origin] === ORIGIN_CLI;
  return (
    metadata.name === runWorkloadName(name) &&
    metadata.namespace === namespace &&
    metadata.labels?.[LABELS.run] === name &&
    (controller === undefined ? !isOfCli : controller.uid === uid)
  );
}

function viewJob(job: Job): Workload {
  const suspended = condition(job, 'Suspended');
  const isToldToSuspend = job.spec?.suspend === true;
  const end = endOfJob(job);
  return {
    kind: 'Job',
    uid: job.metadata.uid,
    object: job,
    // The Job controller sets it anew when a suspended Job goes on: the time of the suspension is not counted.
    startedAt: instant(job.status?.startTime) ?? instant(job.metadata.creationTimestamp),
    // The condition outlasts the field until the Job controller has set the new start.
    isSuspended: end === undefined && (isToldToSuspend || suspended?.status === 'True'),
    isToldToSuspend,
    end,
    retries: (job.spec?.backoffLimit ?? 0) > 0,
  };
}

/** FailureTarget comes before Failed, while the pods still terminate, and is as final. */
function endOfJob(job: Job): WorkloadEnd | undefined {
  const failed = [condition(job, 'Failed'), condition(job, 'FailureTarget')].find((found) => found?.status === 'True');
  if (failed !== undefined) {
    const { reason = 'Failed', message = '' } = failed;
    return { isSuccess: false, reason, message, at: instant(failed.lastTransitionTime) };
  }
  const complete = condition(job, 'Complete');
  if (complete?.status !== 'True') return undefined;
  const at = instant(job.status?.completionTime) ?? instant(complete.lastTransitionTime);
  return { isSuccess: true, reason: complete.reason ?? 'Complete', message: complete.message ?? '', at };
}

function viewSandbox(sandbox: Sandbox): Workload {
  const suspended = condition(sandbox, 'Suspended');
  const finished = condition(sandbox, 'Finished');
  const isToldToSuspend = sandbox.spec?.operatingMode === 'Suspended';
  const created = instant(sandbox.metadata.creationTimestamp);
  const resumed = suspended?.status === 'False' ? instant(suspended.lastTransitionTime) : undefined;
  return {
    kind: 'Sandbox',
    uid: sandbox.metadata.uid,
    object: sandbox,
    startedAt: created === undefined ? resumed : Math.max(created, resumed ?? created),
    isSuspended: isToldToSuspend || suspended?.status === 'True',
    isToldToSuspend,
    end:
      finished?.status === 'True'
        ? {
            isSuccess: finished.reason === 'PodSucceeded',
            reason: finished.reason ?? 'Finished',
            message: finished.message ?? '',
            at: instant(finished.lastTransitionTime),
          }
        : undefined,
    // Its controller makes a new pod for one that was deleted; that is never the same run.
    retries: false,
  };
}

function condition(object: Job | Sandbox, type: string): WorkloadCondition | undefined {
  return object.status?.conditions?.find((candidate) => candidate.type === type);
}
