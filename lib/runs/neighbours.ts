import type { ResolvedAgent } from '../api/hermes-agent.js';
import { homeClaimName } from '../children/persistent-volume-claim.js';
import type { Neighbours } from './resolve-run.js';

/** One string for each agent. */
export function agentKey(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

/** The agents that are at hand, for the runs beside them. */
export function neighboursOf(agents: readonly ResolvedAgent[]): Neighbours {
  const byKey = new Map(agents.map((agent) => [agentKey(agent.namespace, agent.name), agent]));
  const homes = new Map(agents.map((agent) => [agentKey(agent.namespace, homeClaimName(agent)), agent.name]));
  return {
    agentOf: (namespace, name) => byKey.get(agentKey(namespace, name)),
    isBroken: () => false,
    homeOf: (namespace, claim) => homes.get(agentKey(namespace, claim)),
  };
}
