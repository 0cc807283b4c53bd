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

/** On the way down in good order, and up again. */
const RESTARTING_STATES: readonly string[] = ['draining', 'starting'];

/** What can be wrong with gateways, and of these what is wrong with the gateway as a whole. */
const BROKEN_REASONS: readonly string[] = [REASONS.gatewayNotRunning, REASONS.gatewayDegraded];
const GATEWAY_REASONS: readonly string[] = [...BROKEN_REASONS, REASONS.platformsNotConnected];

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
  /** The condition by the last good answer alone, however long ago that was; absent where none is known. */
  readonly lastWord?: ConditionDraft | undefined;
  /** The gateway is about to come back by itself, as after `/restart`. */
  readonly isRestarting?: boolean;
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
    const known = storedView(facts);
    const condition = isStale ? unanswered(isStale, failure) : (known.condition ?? unanswered(false));
    return { ...OFF, ...known, condition, ...storedWord(facts, known, isStale) };
  }
  const statuses = declared.slice(0, MAX_STATUSES).map((type) => gatewayStatus(type, last));
  return {
    condition: isStale ? unanswered(isStale, failure) : judge(declared, last),
    statuses,
    summary: summarize(statuses, declared.length),
    activeSessions: last.activeSessions,
    // Silence takes nothing back: a dashboard that has failed mends no gateway.
    isBroken: isBroken(declared, last),
    lastWord: judge(declared, last),
    isReachable: declared.length === 0 || statuses.some((status) => status.ready),
    isRestarting: RESTARTING_STATES.includes(last.gatewayState ?? ''),
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

/**
 * What the rules make of a dashboard that has not answered this process. One that has failed once or twice says nothing;
 * after three times the pod alone speaks for the agent, unless it is known what the gateways were like.
 */
function storedWord(
  facts: AgentFacts,
  { condition, statuses }: StoredView,
  isStale: boolean,
): Pick<GatewayView, 'lastWord' | 'isBroken' | 'isReachable'> {
  const former = condition && formerCondition(facts, CONDITION_TYPES.ready);
  const ofReady = former !== undefined && GATEWAY_REASONS.includes(former.reason) ? former : undefined;
  const lastWord = condition?.status === 'Unknown' ? ofReady : condition;
  const isUp = statuses.length > 0 ? statuses.some(({ ready }) => ready) : isStale;
  return {
    lastWord: lastWord && { status: lastWord.status, reason: lastWord.reason, message: lastWord.message },
    isBroken: BROKEN_REASONS.includes(lastWord?.reason ?? '') || statuses.some(({ state }) => state === 'fatal'),
    // An agent that was Ready stays so until its dashboard has answered: it is the controller that has started anew.
    isReachable: isUp || facts.spec.gateways.length === 0 || facts.formerPhase === 'Ready',
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

function hasEnded({ gatewayRunning, gatewayState = '' }: ProbeAnswer): boolean {
  return gatewayRunning === false || ENDED_STATES.includes(gatewayState);
}

function gatewayStatus(type: string, answer: ProbeAnswer): GatewayStatus {
  const platform = answer.platforms.get(type);
  const message = clean(platform?.errorMessage ?? platform?.errorCode ?? '');
  return {
    type,
    ready: !hasEnded(answer) && platform?.state === 'connected',
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
  if (hasEnded(last)) {
    const why = last.exitReason ?? last.gatewayState;
    return isFalse(REASONS.gatewayNotRunning, `the gateway does not run${why === undefined ? '' : `: ${why}`}`);
  }
  if (last.gatewayState === 'degraded') {
    return isFalse(REASONS.gatewayDegraded, `the gateway is degraded${detail === '' ? '' : `: ${detail}`}`);
  }
  if (open.length > 0) return isFalse(REASONS.platformsNotConnected, detail);
  if (last.gatewayRunning === undefined) {
    return isFalse(REASONS.gatewayNotRunning, 'the dashboard does not say that the gateway runs');
  }
  return isTrue(REASONS.allPlatformsConnected, undeclared);
}
