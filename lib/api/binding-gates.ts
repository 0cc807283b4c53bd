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
  /** From the binding's own entry in the spec. */
  readonly path: readonly string[];
  readonly message: string;
  readonly hint: string;
}

/**
 * Every gate that a binding does not pass; case counts. Without a namespace of the agent, which is an error of its own,
 * no binding counts as foreign.
 */
export function gateRefusals(
  binding: RequestedBinding,
  agentNamespace: string | undefined,
  gates: BindingGates,
): GateRefusal[] {
  const { namespace, roleRef } = binding;
  const refusals: GateRefusal[] = [];
  const isForeign = agentNamespace !== undefined && namespace !== agentNamespace;
  if (isForeign && namespace !== undefined && !gates.allowedBindingNamespaces.includes(namespace)) {
    refusals.push({
      rule: 'NamespaceNotAllowed',
      path: ['namespace'],
      message: `bindings in namespace ${namespace} are not allowed`,
      hint: `bind in the agent's own namespace, or allow it with --allowed-binding-namespaces ${namespace}`,
    });
  }
  const isAllowed =
    roleRef.kind !== 'ClusterRole' ||
    gates.allowedClusterRoles.includes(roleRef.name) ||
    (namespace !== undefined && ALWAYS_ALLOWED_IN_NAMESPACE.includes(roleRef.name));
  if (!isAllowed) {
    refusals.push({
      rule: 'ClusterRoleNotAllowed',
      path: ['roleRef', 'name'],
      message: `the ClusterRole ${roleRef.name} is not allowed`,
      hint: `bind a role that is allowed, or allow it with --allowed-cluster-roles ${roleRef.name}`,
    });
  }
  return refusals;
}
