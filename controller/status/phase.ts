import { CONDITION_TYPES, REASONS } from '../../lib/api/reasons.js';
import { formatPath } from '../../lib/validation/problem.js';
import { heldForMs, isFalse, type ConditionDraft } from './conditions.js';
import { formerCondition, type AgentFacts } from './facts.js';
import type { GatewayView } from './gateways.js';
import { sortedList } from './messages.js';
import type { ObservedAgent } from './observed.js';
import { isObserved, isRolledOut, remainingWindowMs, rolloutFailure } from './rollout.js';

/** The whole agent in one word. */
export type Phase = 'Bootstrap' | 'Provisioning' | 'Ready' | 'Degraded' | 'Suspended';

/** All that the rows of the table look at. */
export interface PhaseInput {
  readonly observed: ObservedAgent;
  readonly facts: AgentFacts;
  readonly podReady: ConditionDraft;
  readonly secretsResolved: ConditionDraft;
  readonly rbacSynced: ConditionDraft | undefined;
  readonly gateways: GatewayView;
}

/** A phase and what it follows from, for the Ready condition. */
export interface PhaseVerdict {
  readonly phase: Phase;
  readonly reason: string;
  readonly message: string;
  /** When the verdict may change by the passing of time alone. */
  readonly recheckAfterMs?: number;
}

type Rule = (input: PhaseInput) => PhaseVerdict | undefined;

/** The table: the first row that holds gives the phase. */
const RULES: readonly Rule[] = [
  invalidSpec,
  suspended,
  secretsMissing,
  rbacBroken,
  unexpectedReplicas,
  containerStuck,
  rolloutFailed,
  gatewayBroken,
  ready,
  notYetRolledOut,
  rollingOut,
  notYetConnected,
];

/** The phase of an agent. */
export function agentPhase(input: PhaseInput): PhaseVerdict {
  for (const rule of RULES) {
    const verdict = rule(input);
    if (verdict !== undefined) return verdict;
  }
  return wasUp(input);
}

function invalidSpec({ observed }: PhaseInput): PhaseVerdict | undefined {
  const errors = observed.problems.filter((problem) => problem.severity === 'error');
  if (errors.length === 0) return undefined;
  const texts = sortedList(errors.map((problem) => `${formatPath(problem.path)}: ${problem.message}`));
  return { phase: 'Degraded', reason: REASONS.invalidSpec, message: texts };
}

function suspended({ facts, podReady }: PhaseInput): PhaseVerdict | undefined {
  if (!facts.spec.isSuspended) return undefined;
  return { phase: 'Suspended', reason: REASONS.suspended, message: podReady.message };
}

function secretsMissing({ secretsResolved }: PhaseInput): PhaseVerdict | undefined {
  return secretsResolved.status === 'False' ? because('Bootstrap', secretsResolved) : undefined;
}

function rbacBroken({ rbacSynced }: PhaseInput): PhaseVerdict | undefined {
  return rbacSynced?.status === 'False' ? because('Degraded', rbacSynced) : undefined;
}

/** Two pods would fight for the lock on the home volume. */
function unexpectedReplicas({ facts }: PhaseInput): PhaseVerdict | undefined {
  const replicas = facts.deployment?.spec?.replicas ?? 1;
  if (replicas === 0 || replicas === 1) return undefined;
  const message = `the Deployment asks for ${replicas} pods and an agent is exactly one: scale it to 1`;
  return { phase: 'Degraded', reason: REASONS.unexpectedReplicas, message };
}

function containerStuck({ facts, podReady }: PhaseInput): PhaseVerdict | undefined {
  if (facts.isPodReady || facts.trouble?.isSettled !== true) return undefined;
  return because('Degraded', podReady);
}

function rolloutFailed({ facts, podReady }: PhaseInput): PhaseVerdict | undefined {
  const failure = rolloutFailure(facts, podReady);
  return failure === undefined ? undefined : because('Degraded', failure);
}

function gatewayBroken({ gateways }: PhaseInput): PhaseVerdict | undefined {
  if (!gateways.isBroken) return undefined;
  return because('Degraded', notConnected(gateways));
}

function ready({ facts, gateways }: PhaseInput): PhaseVerdict | undefined {
  if (!isRolledOut(facts) || !gateways.isReachable) return undefined;
  return { phase: 'Ready', reason: REASONS.ready, message: '' };
}

/** Not there, or its controller has not looked at the last change: the numbers in its status speak of the past. */
function notYetRolledOut({ facts, podReady }: PhaseInput): PhaseVerdict | undefined {
  if (facts.deployment === undefined) return because('Provisioning', podReady);
  if (isObserved(facts)) return undefined;
  return { phase: 'Provisioning', reason: REASONS.rollingOut, message: 'the Deployment is about to roll out a change' };
}

function rollingOut(input: PhaseInput): PhaseVerdict | undefined {
  if (isRolledOut(input.facts)) return undefined;
  const remaining = remainingWindowMs(input.facts, input.secretsResolved) ?? 0;
  return remaining <= 0 ? undefined : { ...because('Provisioning', notUp(input)), recheckAfterMs: remaining };
}

/** The pod is up, and its gateways may still be connecting. One that was connected and is not any more is another row. */
function notYetConnected({ facts, gateways }: PhaseInput): PhaseVerdict | undefined {
  if (!isRolledOut(facts) || gateways.isReachable) return undefined;
  if (facts.formerPhase === 'Ready') return gateways.isRestarting === true ? restarting(facts, gateways) : undefined;
  const upFor = comingUpForMs(facts);
  const readyCondition = formerCondition(facts, CONDITION_TYPES.ready);
  const isOldFailure = facts.formerPhase === 'Degraded' && heldForMs(readyCondition, facts.now) <= upFor;
  if (isOldFailure || upFor >= facts.windowMs) return undefined;
  return { ...because('Provisioning', notConnected(gateways)), recheckAfterMs: facts.windowMs - upFor };
}

/** Its Reconciling begins now, and with it the window that the gateway has to come back. */
function restarting(facts: AgentFacts, gateways: GatewayView): PhaseVerdict {
  return { ...because('Provisioning', notConnected(gateways)), recheckAfterMs: facts.windowMs };
}

/** How long the gateways had to connect: since the pod is ready, or since the gateway restarted in it. */
function comingUpForMs(facts: AgentFacts): number {
  const podReady = formerCondition(facts, CONDITION_TYPES.podReady);
  const upFor = podReady?.status === 'True' ? heldForMs(podReady, facts.now) : 0;
  const reconciling = formerCondition(facts, CONDITION_TYPES.reconciling);
  if (facts.formerPhase !== 'Provisioning' || reconciling?.status !== 'True') return upFor;
  return Math.min(upFor, heldForMs(reconciling, facts.now));
}

function wasUp(input: PhaseInput): PhaseVerdict {
  return because('Degraded', isRolledOut(input.facts) ? notConnected(input.gateways) : notUp(input));
}

/** A pod that is ready is no reason for not being up: it is of the former revision, or about to be counted. */
function notUp({ facts, podReady }: PhaseInput): ConditionDraft {
  if (podReady.status !== 'True') return podReady;
  const pod = facts.pod?.metadata.name ?? '';
  return isFalse(REASONS.rollingOut, `pod ${pod} is ready, and the Deployment does not yet count it as its one pod`);
}

function notConnected(gateways: GatewayView): ConditionDraft {
  return (
    gateways.lastWord ?? gateways.condition ?? { status: 'False', reason: REASONS.platformsNotConnected, message: '' }
  );
}

function because(phase: Phase, { reason, message }: ConditionDraft): PhaseVerdict {
  return { phase, reason, message };
}
