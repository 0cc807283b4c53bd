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

/** Conditions that the verdict's own do not tell: which of them holds back a person's attention, and for how long. */
interface StallRule {
  readonly afterMs: number;
  /** The condition that has been False since the trouble began. */
  readonly since: string;
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

/**
 * Ready, Reconciling and Stalled. The latter two are only there while they hold, as the conventions of kstatus have it.
 * `reasons` are those of the False conditions, the verdict's own among them.
 */
export function kstatusConditions(
  verdict: PhaseVerdict,
  facts: AgentFacts,
  falseConditions: readonly ConditionDraft[],
): KstatusConditions {
  const { phase, reason, message } = verdict;
  const isReady = phase === 'Ready' || phase === 'Suspended';
  const ready: ConditionDraft = { status: isReady ? 'True' : 'False', reason, message };
  if (isReady) return { ready, reconciling: undefined, stalled: undefined };
  const causes = [{ status: 'False', reason, message } as const, ...falseConditions];
  const stalls = causes.flatMap((cause) => {
    const rule = STALLS[cause.reason];
    return rule === undefined ? [] : [{ cause, remainingMs: rule.afterMs - sinceMs(rule, facts) }];
  });
  const stalled = stalls.find(({ remainingMs }) => remainingMs <= 0)?.cause;
  if (stalled !== undefined) {
    return { ready, reconciling: undefined, stalled: { ...stalled, status: 'True' } };
  }
  const isReconciling = phase === 'Bootstrap' || phase === 'Provisioning';
  const recheck = Math.min(...stalls.map(({ remainingMs }) => remainingMs));
  return {
    ready,
    reconciling: isReconciling ? { status: 'True', reason, message } : undefined,
    stalled: undefined,
    ...(Number.isFinite(recheck) && { recheckAfterMs: recheck }),
  };
}

function sinceMs(rule: StallRule, facts: AgentFacts): number {
  const former = formerCondition(facts, rule.since);
  return former?.status === 'False' ? heldForMs(former, facts.now) : 0;
}
