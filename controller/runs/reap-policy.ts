import { ANNOTATIONS, ORIGIN_CLI } from '../../lib/api/identity.js';
import { RUN_CONDITION_TYPES, RUN_REASONS } from '../../lib/api/run-reasons.js';
import { isFalse, isTrue, type ConditionDraft } from '../status/conditions.js';
import type { FormerDeletion } from './observed-run.js';
import { formerCondition, type RunFacts } from './run-facts.js';
import type { ReapDecision } from './run-verdict.js';
import { instant } from './times.js';
import { marksOf } from './tracking-marks.js';

/** Whether and when a run is deleted, and the condition that says so. */
export interface ReapVerdict {
  readonly decision: ReapDecision;
  /** Absent where nobody asked for a deletion. */
  readonly reapable?: ConditionDraft;
}

/** A run that comes back so soon after its deletion is declared by somebody, with or without a mark. */
const BREAKER_MS = 10 * 60_000;

const KEEP: ReapDecision = { kind: 'keep' };

/**
 * Deleting is by positive mark only: a run of the CLI, or one whose own spec names a TTL, and nothing that an engine
 * declares. `completedAt` is undefined while the run goes on.
 */
export function reapVerdict(
  facts: RunFacts,
  completedAt: number | undefined,
  formerDeletion: FormerDeletion | undefined,
): ReapVerdict {
  if (hasComeBack(facts, formerDeletion)) {
    const message = 'a run of this name was deleted after its TTL and came back: it is not deleted again';
    return { decision: KEEP, reapable: isFalse(RUN_REASONS.recreatedByEngine, message) };
  }
  const ttl = ttlSeconds(facts);
  if (completedAt === undefined || ttl === undefined) return { decision: KEEP };
  const marks = [
    ...describeMarks('the run', marksOf(facts.run, facts.options.trackingMarks)),
    ...(facts.workload === undefined
      ? []
      : describeMarks(`its ${facts.workload.kind}`, marksOf(facts.workload.object, facts.options.trackingMarks))),
  ];
  if (marks.length > 0) {
    const message = `not deleted after its TTL of ${ttl} s, because it would come back and run again: ${marks.join('; ')}`;
    return { decision: KEEP, reapable: isFalse(RUN_REASONS.trackedByGitOps, message) };
  }
  const remaining = completedAt + ttl * 1000 - facts.now;
  return {
    decision: remaining > 0 ? { kind: 'wait', afterMs: remaining } : { kind: 'delete', reason: 'TTL' },
    reapable: isTrue(RUN_REASONS.ttlAfterFinished, `deleted ${ttl} s after its end`),
  };
}

/** Known from the deletion itself, and later from the condition, which outlives a restart of the controller. */
function hasComeBack(facts: RunFacts, formerDeletion: FormerDeletion | undefined): boolean {
  const { uid, creationTimestamp } = facts.run.metadata;
  const before = formerCondition(facts, RUN_CONDITION_TYPES.reapable);
  if (before?.reason === RUN_REASONS.recreatedByEngine) return true;
  if (formerDeletion === undefined || formerDeletion.uid === uid) return false;
  return (instant(creationTimestamp) ?? facts.now) - formerDeletion.at <= BREAKER_MS;
}

/** Undefined for never. */
function ttlSeconds({ run, spec, options }: RunFacts): number | undefined {
  const isOfCli = run.metadata.annotations?.[ANNOTATIONS.origin] === ORIGIN_CLI;
  const seconds = spec.ttlSeconds ?? (isOfCli ? options.ttlSeconds : -1);
  return seconds < 0 ? undefined : seconds;
}

function describeMarks(object: string, marks: readonly string[]): readonly string[] {
  return marks.length === 0 ? [] : [`${object} carries ${marks.join(', ')}`];
}
