import { CONDITION_TYPES } from '../../lib/api/reasons.js';
import type { Condition, Deployment, DeploymentCondition, Pod, StoredAgent } from '../kube/objects.js';
import { containerTrouble, loopEndsAfterMs, steadyTrouble, type ContainerTrouble } from './container-trouble.js';
import type { ObservedAgent } from './observed.js';
import { isOver, ownDeployment, selectPods } from './pod-selection.js';
import { viewSpec, type SpecView } from './spec-view.js';

/** What follows from the observed objects before any rule has judged them. */
export interface AgentFacts {
  readonly agent: StoredAgent;
  readonly spec: SpecView;
  readonly generation: number;
  /** Server time in milliseconds. */
  readonly now: number;
  readonly formerPhase: string | undefined;
  readonly formerConditions: readonly Condition[];
  /** The Deployment, if it is the agent's. */
  readonly deployment: Deployment | undefined;
  /** A Deployment of the agent's name is there and was not rendered for this agent. */
  readonly isForeign: boolean;
  readonly pod: Pod | undefined;
  /** Pods that still run or drain, of any revision. */
  readonly livePods: readonly Pod[];
  readonly trouble: ContainerTrouble | undefined;
  /** When the trouble may end by the passing of time alone. */
  readonly recheckAfterMs: number | undefined;
  readonly isPodReady: boolean;
  /** progressDeadlineSeconds in milliseconds: how long a rollout, or the first connection, may take. */
  readonly windowMs: number;
}

/** The API server's own default for progressDeadlineSeconds. */
const DEFAULT_WINDOW_SECONDS = 600;

/** Gathers the facts from what can be believed. */
export function gatherFacts(observed: ObservedAgent, now: number): AgentFacts {
  const { agent } = observed;
  const deployment = ownDeployment(observed.deployment);
  const pods = selectPods(deployment, observed.replicaSets, observed.pods);
  const pod = pods.current;
  const formerConditions = agent.status?.conditions ?? [];
  return {
    agent,
    spec: viewSpec(agent.spec),
    generation: agent.metadata.generation ?? 0,
    now,
    formerPhase: agent.status?.phase,
    formerConditions,
    deployment,
    isForeign: observed.deployment !== undefined && deployment === undefined,
    pod,
    livePods: pods.all.filter((candidate) => !isOver(candidate)),
    trouble: pod === undefined ? undefined : troubleOf(pod, agent, now),
    recheckAfterMs: pod === undefined ? undefined : loopEndsAfterMs(pod, now),
    isPodReady: pod !== undefined && !isOver(pod) && hasCondition(pod.status?.conditions, 'Ready', 'True'),
    windowMs: (deployment?.spec?.progressDeadlineSeconds ?? DEFAULT_WINDOW_SECONDS) * 1000,
  };
}

function troubleOf(pod: Pod, { status }: StoredAgent, now: number): ContainerTrouble | undefined {
  const isSamePod = status?.['podName'] === pod.metadata.name;
  const former = isSamePod ? status.conditions?.find(({ type }) => type === CONDITION_TYPES.podReady) : undefined;
  return steadyTrouble(containerTrouble(pod, now), former);
}

/** The condition of this type that the controller wrote before. */
export function formerCondition(facts: AgentFacts, type: string): Condition | undefined {
  return facts.formerConditions.find((condition) => condition.type === type);
}

/** The Deployment's condition of this type. */
export function deploymentCondition(facts: AgentFacts, type: string): DeploymentCondition | undefined {
  return facts.deployment?.status?.conditions?.find((condition) => condition.type === type);
}

function hasCondition(
  conditions: readonly { readonly type: string; readonly status: string }[] | undefined,
  type: string,
  status: string,
): boolean {
  return conditions?.some((condition) => condition.type === type && condition.status === status) ?? false;
}
