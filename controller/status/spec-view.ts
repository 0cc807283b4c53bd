import type { RequestedBinding } from '../../lib/api/binding-gates.js';

/** What the rules read of a spec. The spec may be anything: it may have been stored under another schema. */
export interface SpecView {
  readonly isSuspended: boolean;
  readonly serviceAccountName: string | undefined;
  readonly existingClaimName: string | undefined;
  readonly rendersClaim: boolean;
  readonly hasNetworkPolicy: boolean;
  readonly hasDashboard: boolean;
  readonly hasIngress: boolean;
  /** Declared gateway types, in the order of the spec, each once. */
  readonly gateways: readonly string[];
  readonly defaultProvider: string | undefined;
  readonly bindings: readonly RequestedBinding[];
}

/** Reads a spec, taking what does not fit as absent. */
export function viewSpec(spec: unknown): SpecView {
  const storage = field(spec, 'storage');
  const dashboard = field(spec, 'dashboard');
  const existingClaimName = text(field(storage, 'existingClaimName'));
  const hasDashboard = field(dashboard, 'enabled') === true;
  return {
    isSuspended: field(spec, 'suspend') === true,
    serviceAccountName: text(field(spec, 'serviceAccountName')),
    existingClaimName,
    rendersClaim: existingClaimName === undefined,
    hasNetworkPolicy: field(field(spec, 'networkPolicy'), 'enabled') === true,
    hasDashboard,
    hasIngress: hasDashboard && field(field(dashboard, 'ingress'), 'enabled') === true,
    gateways: [...new Set(items(field(spec, 'gateways')).flatMap((gateway) => text(field(gateway, 'type')) ?? []))],
    defaultProvider: text(field(spec, 'llmDefaultProvider')),
    bindings: viewBindings(field(spec, 'rbac')),
  };
}

function viewBindings(rbac: unknown): RequestedBinding[] {
  const inNamespaces = items(field(rbac, 'roleBindings')).flatMap((entry) => {
    const namespace = text(field(entry, 'namespace'));
    return namespace === undefined ? [] : viewBinding(field(entry, 'roleRef'), namespace);
  });
  const inCluster = items(field(rbac, 'clusterRoleBindings')).flatMap((entry) =>
    viewBinding(field(entry, 'roleRef'), undefined),
  );
  return [...inNamespaces, ...inCluster];
}

function viewBinding(roleRef: unknown, namespace: string | undefined): RequestedBinding[] {
  const kind = text(field(roleRef, 'kind'));
  const name = text(field(roleRef, 'name'));
  return kind === undefined || name === undefined ? [] : [{ namespace, roleRef: { kind, name } }];
}

/** A field of a value that may not be a map. */
export function field(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, key) ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
}

/** The items of a value that may not be a list. */
export function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

/** A text that is not empty. */
export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
