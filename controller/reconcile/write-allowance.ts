import { CONDITION_TYPES } from '../../lib/api/reasons.js';
import type { Condition } from '../kube/objects.js';

/**
 * What a small change of a settled agent tells: what cannot wait, that is a condition that has got worse or whose stored
 * time is a clock; that a condition has another status or reason otherwise; or words and numbers alone.
 */
export type SmallChange = 'urgent' | 'turn' | 'detail';

/** When the small changes that were written will be made up for, in server time; each of the two kinds has its own. */
export interface Spent {
  readonly turns: number;
  readonly details: number;
}

/** What each write uses up, in time. */
const PERIOD_MS = 300_000;
/** Changes that are written at once after a long silence. */
const BURST = 3;
/** What is urgent is written on credit, and never so much of it that what gets better waits longer than ten minutes. */
const MOST_MS = (BURST + 1) * PERIOD_MS;

/** From the best to the worst; a condition that is not there has nothing to complain of. */
const STATUSES: readonly Condition['status'][] = ['True', 'Unknown', 'False'];

/**
 * Conditions that turn False only after they have been Unknown for a while, by the time that is stored. An Unknown that
 * stayed there after it had ended would give the next one no time at all.
 */
const DELAYED_TYPES: readonly string[] = [CONDITION_TYPES.rbacSynced, CONDITION_TYPES.manifestsCurrent];

/** What changes between two lists of conditions of one phase and generation. */
export function smallChange(stored: readonly Condition[], desired: readonly Condition[]): SmallChange {
  const before = byType(stored);
  const after = byType(desired);
  const turned = [...new Set([...before.keys(), ...after.keys()])].filter((type) => {
    const [from, to] = [before.get(type), after.get(type)];
    return from?.status !== to?.status || from?.reason !== to?.reason;
  });
  const isUrgent = (type: string): boolean => {
    const [from, to] = [before.get(type), after.get(type)];
    return badness(to) > badness(from) || (DELAYED_TYPES.includes(type) && from?.status !== to?.status);
  };
  if (turned.some(isUrgent)) return 'urgent';
  return turned.length > 0 ? 'turn' : 'detail';
}

/** How long a small change may wait: not at all when it is urgent, or while few were written lately. */
export function allowanceWaitMs(change: SmallChange, spent: Spent | undefined, now: number): number {
  if (change === 'urgent' || spent === undefined) return 0;
  const debt = (change === 'turn' ? spent.turns : spent.details) - now;
  return Math.max(0, debt - (BURST - 1) * PERIOD_MS);
}

/** What is spent as far as it can be: a clock that was set back would make everything wait until it is there again. */
export function believableSpent({ turns, details }: Spent, now: number): Spent {
  return { turns: Math.min(turns, now + MOST_MS), details: Math.min(details, now + MOST_MS) };
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
