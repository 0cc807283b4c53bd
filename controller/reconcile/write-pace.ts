import { CONDITION_TYPES } from '../../lib/api/reasons.js';
import type { Condition } from '../kube/objects.js';

/** The parts of a status that are worth a write at once. */
export interface PacedStatus {
  readonly phase?: string;
  readonly observedGeneration?: number;
  readonly conditions?: readonly Condition[];
}

/** An agent that comes up passes through a dozen states within seconds, and nobody acts on each of them. */
const PACE_MS = 5000;

/** What people and engines act on. */
const MAJOR_TYPES: readonly string[] = [CONDITION_TYPES.ready, CONDITION_TYPES.reconciling, CONDITION_TYPES.stalled];

/**
 * How long a write may wait: a minor change of an agent that is on its way, until some time after the write before it.
 * After a silence, and for everything that somebody may act on, it is 0. `sinceWriteMs` is undefined where this process
 * has not written yet.
 */
export function holdBackMs(
  stored: PacedStatus | undefined,
  desired: PacedStatus,
  sinceWriteMs: number | undefined,
): number {
  if (sinceWriteMs === undefined || sinceWriteMs < 0) return 0;
  const isOnItsWay = statusOf(stored, CONDITION_TYPES.reconciling) === 'True';
  if (!isOnItsWay || isMajor(stored, desired)) return 0;
  return Math.max(0, PACE_MS - sinceWriteMs);
}

function isMajor(stored: PacedStatus | undefined, desired: PacedStatus): boolean {
  if (stored?.phase !== desired.phase || stored?.observedGeneration !== desired.observedGeneration) return true;
  return MAJOR_TYPES.some((type) => statusOf(stored, type) !== statusOf(desired, type));
}

function statusOf(status: PacedStatus | undefined, type: string): string | undefined {
  const conditions: unknown = status?.conditions;
  if (!Array.isArray(conditions)) return undefined;
  return (conditions as readonly (Condition | null)[]).find((condition) => condition?.type === type)?.status;
}
