import { ANNOTATIONS, LABELS } from '../../lib/api/identity.js';
import { CONDITION_TYPES, REASONS } from '../../lib/api/reasons.js';
import { agentResourceName } from '../../lib/names.js';
import type { Deployment } from '../kube/objects.js';
import { afterDelay, isFalse, isTrue, isUnknown, type Delayed } from './conditions.js';
import { formerCondition, type AgentFacts } from './facts.js';
import { leftovers } from './leftovers.js';
import { sortedList } from './messages.js';
import type { ObservedAgent } from './observed.js';

/** A sync in progress: the agent is applied a moment before or after its Deployment. */
const SYNCING_MS = 10_000;
/** Engines prune at the end of a sync, and wait for what they pruned. */
const PRUNING_MS = 2 * 60_000;

/** ManifestsCurrent: whether what is in the cluster was rendered from the spec that is in the cluster. */
export function manifestsCurrent(observed: ObservedAgent, facts: AgentFacts): Delayed | undefined {
  const { deployment, specDigest } = observed;
  if (specDigest === undefined) return undefined;
  const former = formerCondition(facts, CONDITION_TYPES.manifestsCurrent);
  if (deployment === undefined) {
    return {
      draft: isFalse(REASONS.notRendered, `there is no Deployment ${agentResourceName(facts.agent.metadata.name)}`),
    };
  }
  const rewritten = rewrittenNamespace(deployment);
  if (rewritten !== undefined) return { draft: isFalse(REASONS.namespaceRewritten, rewritten) };
  const rendered = deployment.metadata.annotations?.[ANNOTATIONS.specDigest];
  if (rendered === undefined) {
    const message = `Deployment ${deployment.metadata.name} carries no ${ANNOTATIONS.specDigest}`;
    return { draft: isFalse(REASONS.notRendered, message) };
  }
  if (versionOf(rendered) !== versionOf(specDigest)) {
    const message = `the Deployment's digest is of version ${versionOf(rendered)}, the controller's of ${versionOf(specDigest)}`;
    return { draft: isUnknown(REASONS.notComparable, message) };
  }
  if (rendered !== specDigest) {
    const digests = `the spec has digest ${specDigest}, the Deployment was rendered from ${rendered}`;
    return afterDelay(isFalse(REASONS.digestMismatch, digests), isUnknown(REASONS.syncing, digests), {
      former,
      delayMs: SYNCING_MS,
      now: facts.now,
    });
  }
  const left = sortedList(leftovers(observed, facts));
  if (left === '') return { draft: isTrue(REASONS.digestMatches) };
  return afterDelay(
    isFalse(REASONS.leftovers, `not rendered from the spec any more: ${left}`),
    isUnknown(REASONS.pruning, `to be removed by the engine: ${left}`),
    { former, delayMs: PRUNING_MS, now: facts.now },
  );
}

function versionOf(digest: string): string {
  return digest.slice(0, Math.max(0, digest.indexOf(':')));
}

function rewrittenNamespace({ metadata }: Deployment): string | undefined {
  const rendered = metadata.labels?.[LABELS.agentNamespace];
  if (rendered === undefined || rendered === metadata.namespace) return undefined;
  return `rendered for namespace ${rendered} and applied to ${metadata.namespace ?? ''}: remove the engine's namespace override`;
}
