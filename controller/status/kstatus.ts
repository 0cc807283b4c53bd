import { CONDITION_TYPES, REASONS } from '../../lib/api/reasons.js';
import { heldForMs, type ConditionDraft } from './conditions.js';
import { formerCondition, type AgentFacts } from './facts.js';
import type { PhaseVerdict } from './phase.js';

/** The conditions that engines read, and when they may change by the passing of time alone. */
export interface KstatusConditions {
  readonly ready: ConditionDraft;
  readonly reconciling: ConditionDraft | undefined;
  readonly stalled: ConditionDraft | undefined;
  readonly recheckAfterMs?: number;
}

/** After how long a cause is one that only a person can remove. */
interface StallRule {
  readonly afterMs: number;
  /** The condition that has been False since the trouble began. */
  readonly since: string;
}

/** What {@link kstatusConditions} needs beside the verdict. */
export interface StallContext {
  /** Whatever else may be wrong, beside what the verdict follows from. */
  readonly causes: readonly (ConditionDraft | undefined)[];
  /** The spec changed a moment ago: what the pod shows is no verdict on the change. */
  readonly isChanging: boolean;
}

const MINUTE = 60_000;
const AT_ONCE: StallRule = { afterMs: 0, since: CONDITION_TYPES.ready };

/** What does not get better by waiting, and after how long that is clear. */
const STALLS: Readonly<Record<string, StallRule>> = {
  [REASONS.invalidSpec]: AT_ONCE,
  [REASONS.clusterRoleNotAllowed]: AT_ONCE,
  [REASONS.namespaceNotAllowed]: AT_ONCE,
  InvalidImageName: AT_ONCE,
  ErrImageNeverPull: AT_ONCE,
  [REASONS.progressDeadlineExceeded]: AT_ONCE,
  [REASONS.bindingDrifted]: { afterMs: 2 * MINUTE, since: CONDITION_TYPES.rbacSynced },
  ImagePullBackOff: { afterMs: 5 * MINUTE, since: CONDITION_TYPES.podReady },
  CrashLoopBackOff: { afterMs: 5 * MINUTE, since: CONDITION_TYPES.podReady },
};

/** Causes that a pod shows, or its rollout. */
const OF_THE_POD: readonly string[] = [
  'InvalidImageName',
  'ErrImageNeverPull',
  REASONS.progressDeadlineExceeded,
  'ImagePullBackOff',
  'CrashLoopBackOff',
];

/**
 * Ready, Reconciling and Stalled. The latter two are only there while they hold, as the conventions of kstatus have it,
 * and never together: what comes up by itself is not stalled, whatever else is wrong.
 */
export function kstatusConditions(
  verdict: PhaseVerdict,
  facts: AgentFacts,
  { causes, isChanging }: StallContext,
): KstatusConditions {
  const { phase, reason, message } = verdict;
  const isReady = phase === 'Ready' || phase === 'Suspended';
  const ready: ConditionDraft = { status: isReady ? 'True' : 'False', reason, message };
  const none = { ready, reconciling: undefined, stalled: undefined };
  if (isReady) return none;
  if (phase !== 'Degraded') return { ...none, reconciling: { status: 'True', reason, message } };
  const stalls = [ready, ...causes]
    .filter((cause): cause is ConditionDraft => cause?.status === 'False')
    .flatMap((cause) => stallOf(cause, facts, isChanging) ?? []);
  const stalled = stalls.find(({ remainingMs }) => remainingMs <= 0)?.cause;
  if (stalled !== undefined) return { ...none, stalled: { ...stalled, status: 'True' } };
  const recheck = Math.min(...stalls.map(({ remainingMs }) => remainingMs));
  return { ...none, ...(Number.isFinite(recheck) && { recheckAfterMs: recheck }) };
}

interface Stall {
  readonly cause: ConditionDraft;
  readonly remainingMs: number;
}

function stallOf(cause: ConditionDraft, facts: AgentFacts, isChanging: boolean): Stall | undefined {
  const rule = STALLS[cause.reason];
  if (rule === undefined || (isChanging && OF_THE_POD.includes(cause.reason))) return undefined;
  return { cause, remainingMs: rule.afterMs - sinceMs(rule, facts) };
}

function sinceMs(rule: StallRule, facts: AgentFacts): number {
  const former = formerCondition(facts, rule.since);
  if (former?.status !== 'False') return 0;
  const held = heldForMs(former, facts.now);
  if (rule.since !== CONDITION_TYPES.podReady) return held;
  // A new pod has its own five minutes, however long the one before it had been in trouble.
  const created = Date.parse(facts.pod?.metadata.creationTimestamp ?? '');
  return Number.isNaN(created) ? held : Math.min(held, Math.max(0, facts.now - created));
}
