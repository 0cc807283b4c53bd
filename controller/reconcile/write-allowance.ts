import type { Condition } from '../kube/objects.js';

/**
 * What a small change of a settled agent tells: that a condition has got worse, that one has another status or reason
 * otherwise, or words and numbers alone.
 */
export type SmallChange = 'worse' | 'turn' | 'detail';

/** When the small changes that were written will be made up for, in server time; each of the two kinds has its own. */
export interface Spent {
  readonly turns: number;
  readonly details: number;
}

/** What each write uses up, in time. */
const PERIOD_MS = 300_000;
/** Changes that are written at once after a long silence. */
const BURST = 3;
/** What gets worse is written on credit, and never so much of it that what gets better waits longer than ten minutes. */
const MOST_MS = (BURST + 1) * PERIOD_MS;

/** From the best to the worst; a condition that is not there has nothing to complain of. */
const STATUSES: readonly Condition['status'][] = ['True', 'Unknown', 'False'];

/** What changes between two lists of conditions of one phase and generation. */
export function smallChange(stored: readonly Condition[], desired: readonly Condition[]): SmallChange {
  const before = byType(stored);
  const after = byType(desired);
  const turned = [...new Set([...before.keys(), ...after.keys()])].filter((type) => {
    const [from, to] = [before.get(type), after.get(type)];
    return from?.status !== to?.status || from?.reason !== to?.reason;
  });
  if (turned.some((type) => badness(after.get(type)) > badness(before.get(type)))) return 'worse';
  return turned.length > 0 ? 'turn' : 'detail';
}

/** How long a small change may wait: not at all when something got worse, or while few were written lately. */
export function allowanceWaitMs(change: SmallChange, spent: Spent | undefined, now: number): number {
  if (change === 'worse' || spent === undefined) return 0;
  const until = change === 'turn' ? spent.turns : spent.details;
  // A clock that was set back must not lengthen the wait.
  const debt = Math.min(until - now, MOST_MS);
  return Math.max(0, debt - (BURST - 1) * PERIOD_MS);
}

/** What is spent once a small change is written. */
export function spend(change: SmallChange, spent: Spent | undefined, now: number): Spent {
  const { turns, details } = spent ?? { turns: now, details: now };
  const charged = (until: number): number => Math.min(Math.max(until, now) + PERIOD_MS, now + MOST_MS);
  return change === 'detail' ? { turns, details: charged(details) } : { turns: charged(turns), details };
}

function badness(condition: Condition | undefined): number {
  return condition === undefined ? 0 : STATUSES.indexOf(condition.status);
}

function byType(conditions: readonly Condition[]): ReadonlyMap<string, Condition> {
  return new Map(conditions.map((condition) => [condition.type, condition]));
}
