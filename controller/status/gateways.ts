import { CONDITION_TYPES, REASONS } from '../../lib/api/reasons.js';
import { isFalse, isTrue, isUnknown, timestamp, type ConditionDraft } from './conditions.js';
import { formerCondition, type AgentFacts } from './facts.js';
import { clean, sortedList } from './messages.js';
import type { ProbeAnswer, ProbeObservation } from './observed.js';

/** Failures in a row after which the last answer says nothing any more. */
const MAX_FAILURES = 3;
/** States of the gateway process in which nobody can talk to the agent; any other word is no reason to worry. */
const ENDED_STATES: readonly string[] = ['stopped', 'startup_failed'];
const BROKEN_STATES: readonly string[] = ['degraded', ...ENDED_STATES];

/** The CRD's limit; a stored spec may be past it. */
const MAX_STATUSES = 64;

/** Undeclared platforms that a message names; there may be thousands. */
const MAX_NAMED = 20;

/** One entry of `status.gateways`. */
export interface GatewayStatus {
  readonly type: string;
  readonly ready: boolean;
  readonly state?: string;
  readonly message?: string;
  readonly lastProbedAt?: string;
}

/** What the rules ask of the dashboard. */
export interface GatewayView {
  /** Absent while the dashboard is off or the agent suspended. */
  readonly condition: ConditionDraft | undefined;
  readonly statuses: readonly GatewayStatus[];
  /** `2/3`; undefined while nothing is known. */
  readonly summary: string | undefined;
  readonly activeSessions: number | undefined;
  /** The last good answer says that nobody can talk to the agent. */
  readonly isBroken: boolean;
  /** Nothing speaks against Ready: a gateway is connected, or none is declared, or the dashboard tells nothing. */
  readonly isReachable: boolean;
}

const OFF: GatewayView = {
  condition: undefined,
  statuses: [],
  summary: undefined,
  activeSessions: undefined,
  isBroken: false,
  isReachable: true,
};

/** Judges the last answer of the dashboard by the gateways that the spec declares. */
export function viewGateways(facts: AgentFacts, probe: ProbeObservation | undefined): GatewayView {
  if (!facts.spec.hasDashboard || facts.spec.isSuspended) return OFF;
  if (probe === undefined) return { ...OFF, condition: unanswered(false) };
  const declared = facts.spec.gateways;
  const { last, failures, failure } = probe;
  const isStale = failures >= MAX_FAILURES;
  if (last === undefined) {
    // Without an answer only the pod speaks for the agent. Before the first one it may still come; an agent that was
    // Ready stays so until then, for it is the controller that has started anew.
    const isReachable = failures > 0 || declared.length === 0 || facts.formerPhase === 'Ready';
    const known = storedView(facts);
    const condition = isStale ? unanswered(isStale, failure) : (known.condition ?? unanswered(false));
    return { ...OFF, ...known, condition, isReachable };
  }
  const statuses = declared.slice(0, MAX_STATUSES).map((type) => gatewayStatus(type, last));
  return {
    condition: isStale ? unanswered(isStale, failure) : judge(declared, last),
    statuses,
    summary: summarize(statuses, declared.length),
    activeSessions: last.activeSessions,
    isBroken: !isStale && isBroken(declared, last),
    isReachable: isStale || declared.length === 0 || statuses.some((status) => status.ready),
  };
}

function summarize(statuses: readonly GatewayStatus[], declared: number): string | undefined {
  if (statuses.length === 0) return undefined;
  return `${statuses.filter((status) => status.ready).length}/${declared}`;
}

type StoredView = Pick<GatewayView, 'condition' | 'statuses' | 'summary' | 'activeSessions'>;

/**
 * What another process has learned of this pod and stored, if the spec is still the same: a controller that starts anew
 * would otherwise take back what it says of every agent, and say it again half a minute later.
 */
function storedView(facts: AgentFacts): StoredView {
  const former = formerCondition(facts, CONDITION_TYPES.gatewaysReady);
  const status = facts.agent.status ?? {};
  const isSame = former?.observedGeneration === facts.generation && status['podName'] === facts.pod?.metadata.name;
  if (former === undefined || !isSame) return OFF;
  const { reason, message } = former;
  const stored = (status['gateways'] ?? []) as readonly GatewayStatus[];
  const statuses = facts.spec.gateways
    .slice(0, MAX_STATUSES)
    .flatMap((type) => stored.find((one) => one.type === type) ?? [])
    .map(restored);
  const sessions = status['activeSessions'] as number | undefined;
  return {
    condition: { status: former.status, reason, message },
    statuses,
    summary: summarize(statuses, facts.spec.gateways.length),
    activeSessions: Number.isInteger(sessions) ? sessions : undefined,
  };
}

/** Whatever was stored, as this controller would have written it. */
function restored({ type, ready, state, message, lastProbedAt }: GatewayStatus): GatewayStatus {
  const at = Date.parse(lastProbedAt ?? '');
  return {
    type,
    ready,
    ...(state !== undefined && { state: clean(state) }),
    ...(message !== undefined && { message: clean(message) }),
    ...(!Number.isNaN(at) && { lastProbedAt: timestamp(at) }),
  };
}

function unanswered(isStale: boolean, failure?: string): ConditionDraft {
  const why = failure === undefined ? '' : `: ${failure}`;
  return isStale
    ? isUnknown(REASONS.probeFailed, `the dashboard did not answer three times in a row${why}`)
    : isUnknown(REASONS.notProbed, 'the dashboard has not answered yet');
}

function isBroken(declared: readonly string[], answer: ProbeAnswer): boolean {
  if (answer.gatewayState !== undefined && BROKEN_STATES.includes(answer.gatewayState)) return true;
  return declared.some((type) => answer.platforms.get(type)?.state === 'fatal');
}

function gatewayStatus(type: string, answer: ProbeAnswer): GatewayStatus {
  const platform = answer.platforms.get(type);
  const message = clean(platform?.errorMessage ?? platform?.errorCode ?? '');
  return {
    type,
    ready: answer.gatewayRunning !== false && platform?.state === 'connected',
    ...(platform?.state !== undefined && { state: clean(platform.state) }),
    ...(message !== '' && { message }),
    lastProbedAt: timestamp(answer.at),
  };
}

function judge(declared: readonly string[], last: ProbeAnswer): ConditionDraft {
  const states = declared.map((type) => ({ type, state: last.platforms.get(type)?.state }));
  const open = states.filter(({ state }) => state !== 'connected');
  const extra = [...last.platforms.keys()].filter((type) => !declared.includes(type)).sort();
  const undeclared = extra.length === 0 ? '' : `not declared: ${sortedList(extra.slice(0, MAX_NAMED))}`;
  const detail = [sortedList(open.map(({ type, state = 'unknown' }) => `${type}=${state}`)), undeclared]
    .filter((part) => part !== '')
    .join('; ');
  if (last.gatewayRunning === false || ENDED_STATES.includes(last.gatewayState ?? '')) {
    const why = last.exitReason ?? last.gatewayState;
    return isFalse(REASONS.gatewayNotRunning, `the gateway does not run${why === undefined ? '' : `: ${why}`}`);
  }
  if (last.gatewayState === 'degraded') {
    return isFalse(REASONS.gatewayDegraded, `the gateway is degraded${detail === '' ? '' : `: ${detail}`}`);
  }
  if (open.length > 0) return isFalse(REASONS.platformsNotConnected, detail);
  return isTrue(REASONS.allPlatformsConnected, undeclared);
}
