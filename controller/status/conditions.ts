import type { Condition } from '../kube/objects.js';
import { clean } from './messages.js';

/** A condition before it has times. */
export interface ConditionDraft {
  readonly status: Condition['status'];
  readonly reason: string;
  readonly message: string;
}

/** Shorthands: a condition in one of its three states. */
export const isTrue = (reason: string, message = ''): ConditionDraft => ({ status: 'True', reason, message });
export const isFalse = (reason: string, message: string): ConditionDraft => ({ status: 'False', reason, message });
export const isUnknown = (reason: string, message: string): ConditionDraft => ({ status: 'Unknown', reason, message });

/** What {@link completeConditions} needs beside the drafts. */
export interface ConditionContext {
  readonly former: readonly Condition[];
  readonly generation: number;
  /** Server time in milliseconds. */
  readonly now: number;
}

/** The drafts as conditions, by type: the time of a transition moves only when the status does. */
export function completeConditions(
  drafts: ReadonlyMap<string, ConditionDraft>,
  context: ConditionContext,
): readonly Condition[] {
  return [...drafts].map(([type, draft]) => {
    const before = context.former.find((condition) => condition.type === type);
    return {
      type,
      status: draft.status,
      observedGeneration: context.generation,
      lastTransitionTime: transitionTime(before, draft, context.now),
      reason: conditionReason(draft.reason),
      message: clean(draft.message),
    };
  });
}

/**
 * How far ahead the clock of the replica that led before may have been: each knows the server's time to about a second,
 * and several API servers agree to about as much. Taking a time back that is so close would be a write for nothing.
 */
const SKEW_MS = 5000;

function transitionTime(before: Condition | undefined, draft: ConditionDraft, now: number): string {
  if (before?.status !== draft.status) return timestamp(now);
  // What has no time, or one far ahead, was not written by a clock that counts: windows would never end.
  return Date.parse(before.lastTransitionTime) <= now + SKEW_MS ? before.lastTransitionTime : timestamp(now);
}

/** A time as the API server stores it: whole seconds. */
export function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** Milliseconds since a condition of the former status took its present status; 0 where that cannot be told. */
export function heldForMs(condition: Condition | undefined, now: number): number {
  const since = Date.parse(condition?.lastTransitionTime ?? '');
  return Number.isNaN(since) ? 0 : Math.max(0, now - since);
}

/** The API server refuses a reason that is not CamelCase; a kubelet or a plugin may say anything. */
function conditionReason(reason: string): string {
  const word = reason
    .replace(/[^A-Za-z0-9_,:]/g, '')
    .replace(/^[^A-Za-z]+/, '')
    .slice(0, 1024)
    .replace(/[,:]+$/, '');
  return word === '' ? 'Unknown' : word;
}

/** A verdict that is only given after it has held for a while, with a milder one until then. */
export interface Delayed {
  readonly draft: ConditionDraft;
  /** When to look again, if the verdict is still to come. */
  readonly recheckAfterMs?: number;
}

/**
 * Holds back a verdict: `pending` (Unknown) is stored first, and its transition time is the persisted start from which
 * the delay counts, also across restarts. A verdict that was given stays.
 */
export function afterDelay(
  verdict: ConditionDraft,
  pending: ConditionDraft,
  options: { readonly former: Condition | undefined; readonly delayMs: number; readonly now: number },
): Delayed {
  const { former, delayMs, now } = options;
  if (former?.status === verdict.status && former.reason === verdict.reason) return { draft: verdict };
  // Unknown for another reason counts as well: only a change of the status has a time that is stored.
  const remaining = delayMs - (former?.status === 'Unknown' ? heldForMs(former, now) : 0);
  return remaining <= 0 ? { draft: verdict } : { draft: pending, recheckAfterMs: remaining };
}
