/**
 * What a platform lets agents be bound to. The engine that applies rendered bindings is usually cluster-admin, so the
 * API server's own check against escalation does not protect anybody; these two lists take its place. The renderer, the
 * controller and the admission policy all get them from one setting.
 */
export interface BindingGates {
  readonly allowedClusterRoles: readonly string[];
  readonly allowedBindingNamespaces: readonly string[];
}

/** ClusterRoles that every agent may be bound to inside one namespace; Kubernetes gives neither any power over roles. */
export const ALWAYS_ALLOWED_IN_NAMESPACE: readonly string[] = ['view', 'edit'];

/** One binding that an agent asks for. */
export interface RequestedBinding {
  /** Undefined for a binding in the whole cluster. */
  readonly namespace: string | undefined;
  readonly roleRef: { readonly kind: string; readonly name: string };
}

/** Why a binding is not allowed. */
export interface GateRefusal {
  readonly rule: 'ClusterRoleNotAllowed' | 'NamespaceNotAllowed';
  readonly message: string;
  readonly hint: string;
}

/** Every gate that a binding of an agent of this namespace does not pass; case counts. */
export function gateRefusals(binding: RequestedBinding, agentNamespace: string, gates: BindingGates): GateRefusal[] {
  const { namespace, roleRef } = binding;
  const refusals: GateRefusal[] = [];
  const isForeign = namespace !== undefined && namespace !== agentNamespace;
  if (isForeign && !gates.allowedBindingNamespaces.includes(namespace)) {
    refusals.push({
      rule: 'NamespaceNotAllowed',
      message: `bindings in namespace ${JSON.stringify(namespace)} are not allowed`,
      hint: `add ${namespace} to --allowed-binding-namespaces, or bind in ${agentNamespace}`,
    });
  }
  const isAllowed =
    roleRef.kind !== 'ClusterRole' ||
    gates.allowedClusterRoles.includes(roleRef.name) ||
    (namespace !== undefined && ALWAYS_ALLOWED_IN_NAMESPACE.includes(roleRef.name));
  if (!isAllowed) {
    refusals.push({
      rule: 'ClusterRoleNotAllowed',
      message: `the ClusterRole ${JSON.stringify(roleRef.name)} is not allowed`,
      hint: `add ${roleRef.name} to --allowed-cluster-roles, or bind a Role`,
    });
  }
  return refusals;
}
