import { RUN_REASONS } from '../../lib/api/run-reasons.js';
import { runWorkloadName } from '../../lib/names.js';
import type { Pod } from '../kube/objects.js';
import { hasStarted } from './pods-of-run.js';
import { isSecondPod, type RunFacts } from './run-facts.js';
import { describeTrouble, statusesOf, type StartTrouble } from './start-trouble.js';

/** Where a run stands that is not over. */
export interface Progress {
  readonly phase: 'Pending' | 'Running';
  readonly reason: string;
  readonly message: string;
  /** The pod waits for what only its events tell: volumes, a network. */
  readonly isSettingUp: boolean;
}

/** A run that was Running never goes back: what happens to it meanwhile is in reason and message. */
export function progressOf(facts: RunFacts, trouble: StartTrouble | undefined): Progress {
  const detail = detailOf(facts, trouble);
  const isStarted = facts.pod !== undefined && hasStarted(facts.pod) && !isSecondPod(facts, facts.pod);
  return { isSettingUp: false, ...detail, phase: facts.formerPhase === 'Running' || isStarted ? 'Running' : 'Pending' };
}

type Detail = Pick<Progress, 'reason' | 'message'> & Partial<Pick<Progress, 'isSettingUp'>>;

function detailOf(facts: RunFacts, trouble: StartTrouble | undefined): Detail {
  const { workload, pod } = facts;
  if (workload === undefined) return withoutWorkload(facts);
  if (workload.isSuspended) {
    const field = workload.kind === 'Job' ? 'spec.suspend' : 'spec.operatingMode';
    const message = `the ${workload.kind} ${workload.object.metadata.name} is suspended (${field})`;
    return { reason: RUN_REASONS.suspended, message };
  }
  if (pod === undefined) return { reason: RUN_REASONS.podPending, message: 'pod not created yet' };
  if (trouble !== undefined) return { reason: trouble.reason, message: describeTrouble(trouble) };
  return ofPod(pod, facts);
}

function withoutWorkload({ run, spec, isWorkloadUnknown }: RunFacts): Detail {
  if (!spec.isReadable) return { reason: RUN_REASONS.invalidSpec, message: 'spec is not a map' };
  const name = `${spec.workload} ${runWorkloadName(run.metadata.name)}`;
  const message = isWorkloadUnknown
    ? `the ${name} cannot be seen: this cluster does not serve the kind ${spec.workload}, or it may not be watched`
    : `there is no ${name}`;
  return { reason: RUN_REASONS.workloadMissing, message };
}

function ofPod(pod: Pod, facts: RunFacts): Detail {
  const { name, deletionTimestamp } = pod.metadata;
  const { phase = 'Pending', reason = '', message = '' } = pod.status ?? {};
  if (deletionTimestamp !== undefined)
    return { reason: RUN_REASONS.podDeleted, message: `pod ${name} is being deleted` };
  const unscheduled = unschedulable(pod);
  if (unscheduled !== undefined) return unscheduled;
  // NodeLost: the pod may well go on where nobody can see it.
  if (reason !== '') return { reason, message: `pod ${name} is ${phase}${message === '' ? '' : `: ${message}`}` };
  if (hasStarted(pod)) return { reason: RUN_REASONS.running, message: `pod ${name} is ${phase}` };
  return waitingDetail(pod, facts) ?? { reason: RUN_REASONS.podPending, message: `pod ${name} is ${phase}` };
}

function unschedulable(pod: Pod): Detail | undefined {
  const scheduled = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status !== 'False') return undefined;
  const { reason = RUN_REASONS.unschedulable, message = '' } = scheduled;
  return { reason, message: `unschedulable: ${message === '' ? 'no node takes the pod' : message}` };
}

/** A container that waits without trouble, the init containers first. */
function waitingDetail(pod: Pod, { mountFailure = '' }: RunFacts): Detail | undefined {
  const status = statusesOf(pod).find(({ state }) => state?.waiting !== undefined);
  const waiting = status?.state?.waiting;
  if (status === undefined || waiting === undefined) return undefined;
  const { reason = 'ContainerCreating', message = '' } = waiting;
  const said = message === '' ? mountFailure : message;
  return {
    reason,
    message: `container "${status.name}" is waiting on ${reason}${said === '' ? '' : `: ${said}`}`,
    isSettingUp: reason === 'ContainerCreating' || reason === 'PodInitializing',
  };
}
