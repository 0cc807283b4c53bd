import {
  agentResourceName,
  clusterRoleBindingName,
  dashboardName,
  dataClaimName,
  roleBindingName,
  selfRoleName,
  type RoleRef,
} from '../../lib/names.js';
import type { KubeObject } from '../kube/objects.js';
import type { AgentFacts } from './facts.js';
import type { ObservedAgent } from './observed.js';
import { isOwnBinding, isOwnChild } from './ownership.js';

/** Objects of the agent that its spec does not render. They are named to people, never deleted. */
export function leftovers(observed: ObservedAgent, facts: AgentFacts): string[] {
  const { name, namespace = '' } = facts.agent.metadata;
  const rendered = renderedObjects(facts);
  const own = agentResourceName(name);
  const owner = { name, namespace, serviceAccounts: [own, facts.spec.serviceAccountName ?? own] };
  const bindings = observed.bindings?.state === 'read' ? observed.bindings.items : [];
  return [
    ...(observed.children ?? []).filter((child) => isOwnChild(child, owner)),
    ...bindings.filter((binding) => isOwnBinding(binding, owner)),
  ]
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map((object) => describe(object))
    .filter((object) => !rendered.has(object));
}

function describe({ kind = '', metadata }: KubeObject): string {
  return `${kind} ${metadata.namespace === undefined ? '' : `${metadata.namespace}/`}${metadata.name}`;
}

/** What the renderer makes of the spec, by kind and name; a kept claim is not a leftover. */
function renderedObjects({ agent, spec }: AgentFacts): ReadonlySet<string> {
  const { name, namespace = '' } = agent.metadata;
  const own = agentResourceName(name);
  const ownAccount = spec.serviceAccountName === undefined;
  const here: readonly (readonly [boolean, string, string])[] = [
    [true, 'Deployment', own],
    [true, 'Service', own],
    [true, 'PersistentVolumeClaim', dataClaimName(name)],
    [ownAccount, 'ServiceAccount', own],
    [ownAccount, 'Role', selfRoleName(name)],
    [ownAccount, 'RoleBinding', selfRoleName(name)],
    [spec.hasNetworkPolicy, 'NetworkPolicy', own],
    [spec.hasDashboard, 'Service', dashboardName(name)],
    [spec.hasIngress, 'Ingress', dashboardName(name)],
  ];
  const bindings = spec.bindings.map((binding) => {
    const roleRef = binding.roleRef as RoleRef;
    return binding.namespace === undefined
      ? `ClusterRoleBinding ${clusterRoleBindingName(name, namespace, roleRef)}`
      : `RoleBinding ${binding.namespace}/${roleBindingName(name, namespace, binding.namespace, roleRef)}`;
  });
  return new Set([
    ...here.filter(([isRendered]) => isRendered).map(([, kind, object]) => `${kind} ${namespace}/${object}`),
    ...bindings,
  ]);
}
