import type { ResolvedAgent } from '../api/hermes-agent.js';
import { admitsController, controllerRule, policyTypesOf, restrictsDashboard } from '../api/probe-access.js';
import { agentResourceName } from '../names.js';
import { childMetadata, type KubeManifest, podSelector, withoutEmpty } from './manifest.js';

/**
 * The NetworkPolicy of the agent's pod. Rules are kept exactly: an empty rule allows all, an empty list nothing. Where
 * they shut the dashboard off from the controller's namespace, one more rule lets it in; none for an empty namespace.
 */
export function renderNetworkPolicy(agent: ResolvedAgent, controllerNamespace: string): KubeManifest | undefined {
  const policy = agent.spec.networkPolicy;
  if (policy?.enabled !== true) return undefined;
  const needsRule =
    controllerNamespace !== '' && restrictsDashboard(agent.spec) && !admitsController(policy, controllerNamespace);
  const ingress = [...(policy.ingress ?? []), ...(needsRule ? [controllerRule(controllerNamespace)] : [])];
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: childMetadata(agent, agentResourceName(agent.name)),
    spec: {
      podSelector: { matchLabels: podSelector(agent) },
      // The list as the API server would fill it in: written out, so that a reader of Git sees what is restricted.
      policyTypes: policyTypesOf(policy),
      // Empty lists are what the API server stores as no list at all: of rules, where policyTypes has said what that
      // means, and inside of a rule, where it allows all in either form.
      ...withoutEmpty({ ingress: ingress.map(ruleFields), egress: policy.egress?.map(ruleFields) }),
    },
  };
}

function ruleFields(rule: object): Record<string, unknown> {
  return withoutEmpty({ ...rule });
}
