import type { ResolvedAgent } from '../api/hermes-agent.js';
import { agentResourceName } from '../names.js';
import { childMetadata, type KubeManifest, podSelector, withoutEmpty } from './manifest.js';

type PolicyType = 'Ingress' | 'Egress';

/** The NetworkPolicy of the agent's pod. Rules are kept exactly: an empty rule allows all, an empty list nothing. */
export function renderNetworkPolicy(agent: ResolvedAgent): KubeManifest | undefined {
  const policy = agent.spec.networkPolicy;
  if (policy?.enabled !== true) return undefined;
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: childMetadata(agent, agentResourceName(agent.name)),
    spec: {
      podSelector: { matchLabels: podSelector(agent) },
      // The list as the API server would fill it in: written out, so that a reader of Git sees what is restricted.
      policyTypes: policy.policyTypes ?? impliedPolicyTypes(policy.egress),
      // An empty list is what the API server stores as no list at all; policyTypes has said what it means.
      ...withoutEmpty({ ingress: policy.ingress, egress: policy.egress }),
    },
  };
}

function impliedPolicyTypes(egress: readonly unknown[] | undefined): readonly PolicyType[] {
  return egress !== undefined && egress.length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
}
