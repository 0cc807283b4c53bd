import { REASONS } from '../../lib/api/reasons.js';
import { agentResourceName } from '../../lib/names.js';
import type { ContainerStatus, Pod } from '../kube/objects.js';
import { isFalse, isTrue, type ConditionDraft } from './conditions.js';
import { lastExit } from './container-trouble.js';
import { deploymentCondition, type AgentFacts } from './facts.js';
import { sortedList } from './messages.js';

/** PodReady: the pod's own Ready condition, and where it is not True, the most specific reason there is. */
export function podReady(facts: AgentFacts): ConditionDraft {
  if (facts.spec.isSuspended) return suspended(facts);
  if (facts.deployment === undefined) {
    const name = agentResourceName(facts.agent.metadata.name);
    const message = facts.isForeign
      ? `the Deployment ${name} was not rendered for this agent`
      : `there is no Deployment ${name}`;
    return isFalse(REASONS.deploymentMissing, message);
  }
  if (facts.isPodReady) return isTrue(REASONS.podRunning, `pod ${facts.pod?.metadata.name ?? ''} is ready`);
  return facts.pod === undefined ? withoutPod(facts) : notReady(facts, facts.pod);
}

/** Suspended only once nothing runs any more: until then the volume is still in use. */
function suspended(facts: AgentFacts): ConditionDraft {
  const replicas = facts.deployment?.spec?.replicas ?? 0;
  const pods = sortedList(facts.livePods.map((pod) => describe(pod)));
  if (facts.deployment !== undefined && replicas > 0) {
    const detail = pods === '' ? '' : `: ${pods}`;
    return isFalse(REASONS.scalingDown, `the Deployment still asks for ${replicas} pod(s)${detail}`);
  }
  if (pods !== '') return isFalse(REASONS.scalingDown, `a pod is still there: ${pods}`);
  return isFalse(REASONS.suspended, 'the agent is suspended');
}

function describe(pod: Pod): string {
  const state = pod.metadata.deletionTimestamp === undefined ? 'running' : 'terminating';
  return `${pod.metadata.name} (${state})`;
}

function withoutPod(facts: AgentFacts): ConditionDraft {
  const failure = deploymentCondition(facts, 'ReplicaFailure');
  if (failure?.status === 'True') {
    return isFalse(REASONS.podNotReady, `the pod is refused: ${failure.message ?? failure.reason ?? ''}`);
  }
  const replicas = facts.deployment?.spec?.replicas ?? 1;
  if (replicas === 0) return isFalse(REASONS.podNotReady, 'the Deployment is scaled to 0');
  const draining = sortedList(facts.livePods.map((pod) => describe(pod)));
  return isFalse(REASONS.podNotReady, draining === '' ? 'no pod yet' : `no new pod yet: ${draining}`);
}

function notReady({ trouble }: AgentFacts, pod: Pod): ConditionDraft {
  const scheduled = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status === 'False') {
    return isFalse(scheduled.reason ?? REASONS.unschedulable, scheduled.message ?? 'no node takes the pod');
  }
  const { reason = '', message = '' } = pod.status ?? {};
  const subject = `pod ${pod.metadata.name} is ${pod.status?.phase ?? 'Pending'}`;
  if (reason !== '') return isFalse(REASONS.podNotReady, `${subject}, ${reason}: ${message}`);
  if (trouble !== undefined) return isFalse(trouble.reason, trouble.message);
  return isFalse(REASONS.podNotReady, `${subject}${unreadyDetail(pod)}`);
}

function unreadyDetail(pod: Pod): string {
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
  const unready = statuses.filter(({ ready, state }) => ready !== true && state?.terminated?.exitCode !== 0);
  if (unready.length === 0) {
    const said = pod.status?.conditions?.find(({ type }) => type === 'Ready');
    const why = [said?.reason, said?.message].filter((part) => part !== undefined && part !== '').join(': ');
    return ` and not ready${why === '' ? '' : `, ${why}`}`;
  }
  return `: ${unready.map((status) => describeUnready(status)).join('; ')}`;
}

function describeUnready(status: ContainerStatus): string {
  const restarts = status.restartCount ?? 0;
  return `container "${status.name}" is not ready${restarts > 0 ? `, ${restarts} ${restarts === 1 ? 'restart' : 'restarts'}` : ''}${lastExit(status)}`;
}
