import { createHash } from 'node:crypto';

/**
 * Every name that is derived from that of an agent or of a run. The renderer writes these names and the controller recognises its objects
 * by them, so both call here.
 */

/** Longest agent name: `hermes-<name>-dashboard` has to fit in the 63 characters of a DNS label. */
export const MAX_AGENT_NAME_LENGTH = 46;

/** Longest name of a run: a Job refuses `hermes-run-<name>` beyond the 63 characters of a DNS label. */
export const MAX_RUN_NAME_LENGTH = 52;

/** Reference to a role, as a binding holds it. */
export interface RoleRef {
  readonly kind: 'Role' | 'ClusterRole';
  readonly name: string;
}

/** Deployment, ServiceAccount, Service and NetworkPolicy of an agent. */
export function agentResourceName(agent: string): string {
  return `hermes-${agent}`;
}

/** Role and RoleBinding that let the agent restart itself. */
export function selfRoleName(agent: string): string {
  return `hermes-${agent}-self`;
}

/** PersistentVolumeClaim with the agent's home. */
export function dataClaimName(agent: string): string {
  return `hermes-${agent}-data`;
}

/** Service and Ingress of the dashboard. */
export function dashboardName(agent: string): string {
  return `hermes-${agent}-dashboard`;
}

/**
 * RoleBinding of `spec.rbac.roleBindings`. The name carries the roleRef: Kubernetes forbids to change a roleRef, so an
 * edited one has to be another object.
 */
export function roleBindingName(agent: string, agentNamespace: string, namespace: string, roleRef: RoleRef): string {
  return `hermes-${agent}-${hash8([agentNamespace, namespace, roleRef.kind, roleRef.name])}`;
}

/**
 * ClusterRoleBinding of `spec.rbac.clusterRoleBindings`. Cluster names carry the namespace, so that two agents of one
 * name in two namespaces never share a binding.
 */
export function clusterRoleBindingName(agent: string, agentNamespace: string, roleRef: RoleRef): string {
  return `hermes-${agentNamespace}-${agent}-${hash8([agentNamespace, agent, roleRef.kind, roleRef.name])}`;
}

/** Job or Sandbox of a run. */
export function runWorkloadName(run: string): string {
  return `hermes-run-${run}`;
}

/** NUL cannot occur in a Kubernetes name, so no two lists of parts hash the same text. */
function hash8(parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 8);
}
