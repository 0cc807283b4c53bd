import { CONDITION_TYPES, REASONS } from '../../lib/api/reasons.js';
import { isFalse, type ConditionDraft } from './conditions.js';
import { deploymentCondition, formerCondition, type AgentFacts } from './facts.js';

/** Whether the Deployment's controller has looked at the last change: until then its numbers speak of the past. */
export function isObserved({ deployment }: AgentFacts): boolean {
  return (deployment?.status?.observedGeneration ?? 0) >= (deployment?.metadata.generation ?? 0);
}

/** Whether exactly one pod runs, of the last change, and is ready. */
export function isRolledOut(facts: AgentFacts): boolean {
  const { replicas = 0, updatedReplicas = 0, readyReplicas = 0 } = facts.deployment?.status ?? {};
  return isObserved(facts) && replicas === 1 && updatedReplicas === 1 && readyReplicas === 1 && facts.isPodReady;
}

/** Why the rollout does not go on, in the words of the Deployment's controller. */
export function rolloutFailure(facts: AgentFacts, podReady: ConditionDraft): ConditionDraft | undefined {
  const failure = deploymentCondition(facts, 'ReplicaFailure');
  if (failure?.status === 'True') return isFalse(REASONS.replicaFailure, failure.message ?? podReady.message);
  const progressing = deploymentCondition(facts, 'Progressing');
  if (progressing?.status !== 'False' || !isObserved(facts)) return undefined;
  const { reason = REASONS.progressDeadlineExceeded, message = '' } = progressing;
  const isLate = reason === REASONS.progressDeadlineExceeded;
  return isFalse(reason, isLate ? `the rollout took too long: ${podReady.message}` : message);
}

/**
 * What is left of the time that the pod may take to come up; undefined where it is not coming up at all. It counts from
 * the last thing that it had to wait for, by times that are stored: never from the start of this process.
 */
export function remainingWindowMs(facts: AgentFacts, secretsResolved: ConditionDraft): number | undefined {
  const isRolling = isDeploymentRolling(facts) || isMakingRoom(facts);
  if (!isRolling && !isComingUp(facts)) return undefined;
  const progressing = isRolling ? deploymentCondition(facts, 'Progressing') : undefined;
  const starts = [
    reconcilingSince(facts),
    resolvedSince(facts, secretsResolved),
    time(facts.deployment?.metadata.creationTimestamp),
    time(progressing?.lastUpdateTime ?? progressing?.lastTransitionTime),
  ];
  return facts.windowMs - (facts.now - Math.max(...starts));
}

/** The Deployment's controller itself counts the deadline of a rollout, and says Progressing False past it. */
function isDeploymentRolling(facts: AgentFacts): boolean {
  return deploymentCondition(facts, 'Progressing')?.reason !== 'NewReplicaSetAvailable';
}

/**
 * The former pod has to be gone before the next one is made. Until then, which may take minutes, the Deployment's
 * Progressing still speaks of the last rollout. A pod that is merely deleted is replaced at once and counted again.
 */
function isMakingRoom({ deployment, livePods }: AgentFacts): boolean {
  const { updatedReplicas = 0 } = deployment?.status ?? {};
  return livePods.length > 0 && updatedReplicas < (deployment?.spec?.replicas ?? 1);
}

/** Scaling from 0 is no rollout to the Deployment's controller: its Progressing still speaks of the last one. */
function isComingUp({ agent, formerPhase, now, windowMs }: AgentFacts): boolean {
  if (formerPhase === undefined) return now - Date.parse(agent.metadata.creationTimestamp) < windowMs;
  return ['Bootstrap', 'Provisioning', 'Suspended'].includes(formerPhase);
}

/** One that is Degraded has had its time: only a new rollout starts another. */
function reconcilingSince(facts: AgentFacts): number {
  const reconciling = formerCondition(facts, CONDITION_TYPES.reconciling);
  if (reconciling?.status === 'True') return time(reconciling.lastTransitionTime);
  return facts.formerPhase === 'Degraded' ? -Infinity : facts.now;
}

/** A container that waited for its Secret could not start any sooner. */
function resolvedSince(facts: AgentFacts, { status }: ConditionDraft): number {
  const former = formerCondition(facts, CONDITION_TYPES.secretsResolved);
  return former?.status === status ? time(former.lastTransitionTime) : facts.now;
}

function time(timestamp: string | undefined): number {
  const milliseconds = Date.parse(timestamp ?? '');
  return Number.isNaN(milliseconds) ? -Infinity : milliseconds;
}
