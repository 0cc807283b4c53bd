import { CONDITION_TYPES } from '../../lib/api/reasons.js';
import type { Condition } from '../kube/objects.js';
import { allowanceWaitMs, type SmallChange, smallChange, spend, type Spent } from './write-allowance.js';

/** The parts of a status that are worth a write at once. */
export interface PacedStatus {
  readonly phase?: string;
  readonly observedGeneration?: number;
  readonly conditions?: readonly Condition[];
}

/** An agent that comes up passes through a dozen states within seconds, and nobody acts on each of them. */
const PACE_MS = 10_000;

/**
 * An engine applies what it rendered object by object, the agent before most of its children. Within this time of its
 * creation an agent that merely lacks some of them has nothing to tell that its next status will not correct.
 */
const BIRTH_MS = 2000;

/** The same where many agents are applied together, and the engine takes longer to come to the last object of each. */
const LONGEST_BIRTH_MS = 10_000;

/**
 * A detail is often the last step but one: the pod is scheduled, or ready, and the Deployment says so a moment later.
 * Within this time the agent may become ready, and then it was not worth a write of its own.
 */
const SETTLE_MS = 2000;

/** The same where many agents come up together, and each step of each takes longer. */
const LONGEST_SETTLE_MS = 10_000;

/** What each agent on its way adds to the pace of all of them: together they write five details a second, not more. */
const SHARE_MS = 200;

/** A detail is never older, however many agents come up together. */
const SLOWEST_PACE_MS = 60_000;

/** An agent that is on its way for longer than a rollout takes, because a Secret is missing for example, is settled. */
const LONGEST_WAY_MS = 900_000;

/** What people and engines act on. */
const MAJOR_TYPES: readonly string[] = [CONDITION_TYPES.ready, CONDITION_TYPES.reconciling, CONDITION_TYPES.stalled];

/** What {@link holdBackMs} needs to know beside the statuses. */
export interface PaceContext {
  /** Since this process last wrote the status; undefined when it has not. */
  readonly sinceWriteMs: number | undefined;
  /** Since the status first was another than the stored one. */
  readonly sinceDifferentMs: number;
  /** Since the object was created; the API server keeps whole seconds of that. */
  readonly ageMs: number;
  /** Agents that are on their way now and are not settled, this one included. */
  readonly onTheirWay: number;
  /** What {@link spentBy} made of the writes before. */
  readonly spent?: Spent | undefined;
  /** Server time. */
  readonly now: number;
}

/**
 * How long a write may wait: the first status of a new agent that is on its way, until what is applied beside it had
 * time to come; a minor change of an agent that is on its way, until it has stood for a moment and some time after the
 * write before it, and longer the more agents come up together; a minor change of a settled agent, until its allowance
 * has room for it. For everything that somebody may act on it is 0.
 */
export function holdBackMs(
  stored: PacedStatus | undefined,
  desired: PacedStatus,
  { sinceWriteMs, sinceDifferentMs, ageMs, onTheirWay, spent, now }: PaceContext,
): number {
  const isNew = stored?.phase === undefined && desired.phase === 'Provisioning';
  if (isNew && ageMs >= 0) return Math.max(0, sharedMs(onTheirWay, BIRTH_MS, LONGEST_BIRTH_MS) - ageMs);
  if (isMajor(stored, desired)) return 0;
  if (!isComingUp(stored, now)) return allowanceWaitMs(changeBetween(stored, desired), spent, now);
  return Math.max(
    leftOf(sharedMs(onTheirWay, PACE_MS, SLOWEST_PACE_MS), sinceWriteMs),
    leftOf(sharedMs(onTheirWay, SETTLE_MS, LONGEST_SETTLE_MS), sinceDifferentMs),
  );
}

/** Nothing is left of a wait whose start is unknown, or which a clock that was set back puts into the future. */
function leftOf(waitMs: number, sinceMs: number | undefined): number {
  return sinceMs === undefined || sinceMs < 0 ? 0 : Math.max(0, waitMs - sinceMs);
}

/**
 * What an agent has spent of its allowance once this write is made. A new generation begins with all of it: somebody
 * works on the agent, and wants to see what becomes of it.
 */
export function spentBy(
  stored: PacedStatus | undefined,
  desired: PacedStatus,
  { spent, now }: Pick<PaceContext, 'spent' | 'now'>,
): Spent | undefined {
  if (stored?.observedGeneration !== desired.observedGeneration) return undefined;
  if (isMajor(stored, desired) || isComingUp(stored, now)) return spent;
  return spend(changeBetween(stored, desired), spent, now);
}

function changeBetween(stored: PacedStatus | undefined, desired: PacedStatus): SmallChange {
  return smallChange(conditionsOf(stored), conditionsOf(desired));
}

function sharedMs(onTheirWay: number, least: number, most: number): number {
  return Math.min(Math.max(least, SHARE_MS * onTheirWay), most);
}

/** Since when the agent has been on its way, in server time; undefined when it is not. */
export function comingUpSince(status: PacedStatus | undefined): number | undefined {
  const reconciling = conditionOf(status, CONDITION_TYPES.reconciling);
  return reconciling?.status === 'True' ? Date.parse(reconciling.lastTransitionTime) : undefined;
}

/** Whether an agent that has been on its way since then may still become ready by itself. */
export function isRecent(since: number, now: number): boolean {
  return !(now - since >= LONGEST_WAY_MS);
}

function isComingUp(status: PacedStatus | undefined, now: number): boolean {
  const since = comingUpSince(status);
  return since !== undefined && isRecent(since, now);
}

function isMajor(stored: PacedStatus | undefined, desired: PacedStatus): boolean {
  if (stored?.phase !== desired.phase || stored?.observedGeneration !== desired.observedGeneration) return true;
  return MAJOR_TYPES.some((type) => statusOf(stored, type) !== statusOf(desired, type));
}

function statusOf(status: PacedStatus | undefined, type: string): string | undefined {
  return conditionOf(status, type)?.status;
}

function conditionOf(status: PacedStatus | undefined, type: string): Condition | undefined {
  return conditionsOf(status).find((condition) => condition.type === type);
}

/** Whatever is stored: written past the schema, the list may be none, or have holes. */
function conditionsOf(status: PacedStatus | undefined): readonly Condition[] {
  const conditions: unknown = status?.conditions;
  if (!Array.isArray(conditions)) return [];
  return (conditions as readonly (Condition | null | undefined)[]).filter((one) => one !== null && one !== undefined);
}
