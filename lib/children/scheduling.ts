import type { ResolvedAgent } from '../api/hermes-agent.js';

/** Where the pods of an agent and of its runs may be, and what they find there. Empty fields are for the caller to drop. */
export function schedulingOf({ spec }: ResolvedAgent): Readonly<Record<string, unknown>> {
  return {
    securityContext: spec.podSecurityContext,
    nodeSelector: spec.nodeSelector,
    tolerations: spec.tolerations,
    affinity: spec.affinity,
    topologySpreadConstraints: spec.topologySpreadConstraints,
    priorityClassName: nonEmpty(spec.priorityClassName),
    runtimeClassName: nonEmpty(spec.runtimeClassName),
    hostAliases: spec.hostAliases,
    dnsConfig: spec.dnsConfig,
  };
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
