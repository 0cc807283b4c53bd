import { CONDITION_TYPES, REASONS } from '../../lib/api/reasons.js';
import { agentResourceName } from '../../lib/names.js';
import type { Condition } from '../kube/objects.js';
import { completeConditions, type ConditionDraft } from './conditions.js';
import { restartsOf } from './container-trouble.js';
import { gatherFacts, type AgentFacts } from './facts.js';
import { viewGateways, type GatewayStatus, type GatewayView } from './gateways.js';
import { kstatusConditions } from './kstatus.js';
import { manifestsCurrent } from './manifests-current.js';
import type { ObservedAgent } from './observed.js';
import { agentPhase, type Phase } from './phase.js';
import { podReady } from './pod-ready.js';
import { rbacSynced } from './rbac-synced.js';
import { rolloutFailure } from './rollout.js';
import { secretsResolved } from './secrets-resolved.js';
import { believable } from './stored-shapes.js';

/** Every field of the status that the controller owns; one that is absent here is removed from the object. */
export interface AgentStatus {
  readonly observedGeneration: number;
  readonly phase: Phase;
  readonly observedImage?: string;
  readonly serviceAccountName: string;
  readonly podName?: string;
  readonly restarts?: number;
  readonly gateways?: readonly GatewayStatus[];
  readonly gatewaySummary?: string;
  readonly llmProvider?: { readonly current: string };
  readonly activeSessions?: number;
  readonly conditions: readonly Condition[];
}

/** A status, and when it may change by the passing of time alone. */
export interface AgentStatusResult {
  readonly status: AgentStatus;
  readonly recheckAfterMs?: number;
}

const AGENT_CONTAINER = 'hermes';

/**
 * The status of an agent, from what is observed of it and the server's time in milliseconds. Pure: the same observation
 * at the same time gives the same bytes, nothing is changed, nothing is asked, and nothing throws, whatever was stored.
 */
export function computeAgentStatus(stored: ObservedAgent, now: number): AgentStatusResult {
  const observed = believable(stored);
  const facts = gatherFacts(observed, now);
  const gateways = viewGateways(facts, observed.probe);
  const rbac = rbacSynced(observed, facts);
  const manifests = manifestsCurrent(observed, facts);
  const drafts = {
    podReady: podReady(facts),
    secretsResolved: secretsResolved(observed, facts),
    rbacSynced: rbac?.draft,
  };
  const verdict = agentPhase({ observed, facts, gateways, ...drafts });
  const kstatus = kstatusConditions(verdict, facts, {
    causes: [rolloutFailure(facts, drafts.podReady), ...Object.values(drafts)],
    isChanging: manifests?.draft.reason === REASONS.syncing,
  });
  const conditions = new Map(
    [
      [CONDITION_TYPES.ready, kstatus.ready] as const,
      [CONDITION_TYPES.reconciling, kstatus.reconciling] as const,
      [CONDITION_TYPES.stalled, kstatus.stalled] as const,
      [CONDITION_TYPES.podReady, drafts.podReady] as const,
      [CONDITION_TYPES.secretsResolved, drafts.secretsResolved] as const,
      [CONDITION_TYPES.rbacSynced, drafts.rbacSynced] as const,
      [CONDITION_TYPES.gatewaysReady, gateways.condition] as const,
      [CONDITION_TYPES.manifestsCurrent, manifests?.draft] as const,
    ].filter((entry): entry is [(typeof entry)[0], ConditionDraft] => entry[1] !== undefined),
  );
  const recheck = Math.min(
    ...[facts, rbac, manifests, verdict, kstatus].map((part) => part?.recheckAfterMs ?? Infinity),
  );
  return {
    status: {
      observedGeneration: facts.generation,
      phase: verdict.phase,
      ...detailFields(facts, gateways),
      conditions: completeConditions(conditions, {
        former: facts.formerConditions,
        generation: facts.generation,
        now,
      }),
    },
    ...(Number.isFinite(recheck) && { recheckAfterMs: recheck }),
  };
}

type Details = Omit<AgentStatus, 'observedGeneration' | 'phase' | 'conditions'>;

function detailFields({ agent, spec, pod }: AgentFacts, gateways: GatewayView): Details {
  // By name: an injected sidecar may well come first.
  const image = pod?.spec?.containers?.find(({ name }) => name === AGENT_CONTAINER)?.image;
  return {
    serviceAccountName: spec.serviceAccountName ?? agentResourceName(agent.metadata.name),
    ...(image !== undefined && { observedImage: image }),
    ...(pod !== undefined && { podName: pod.metadata.name, restarts: restartsOf(pod) }),
    ...(gateways.statuses.length > 0 && { gateways: gateways.statuses }),
    ...(gateways.summary !== undefined && { gatewaySummary: gateways.summary }),
    ...(spec.defaultProvider !== undefined && { llmProvider: { current: spec.defaultProvider } }),
    ...(gateways.activeSessions !== undefined && { activeSessions: gateways.activeSessions }),
  };
}
