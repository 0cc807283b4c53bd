import type { HermesAgentSpec } from '../../api/generated/types.js';
import type { PathSegment } from '../problem.js';
import type { Reporter } from '../reporter.js';
import type { AgentCheck } from './agent-check.js';

type RoleBinding = NonNullable<NonNullable<HermesAgentSpec['rbac']>['roleBindings']>[number];

/** Built-in roles that grant nothing beyond the objects of one namespace, and no secrets of others or RBAC. */
const HARMLESS_IN_NAMESPACE: readonly string[] = ['view', 'edit'];

const clusterWide: AgentCheck = {
  reads: ['rbac'],
  check: ({ spec, settings }, report) => {
    const bindings = spec.rbac?.clusterRoleBindings ?? [];
    const at = ['spec', 'rbac', 'clusterRoleBindings'];
    bindings.forEach(({ roleRef }, index) => {
      if (!settings.allowedClusterRoles.includes(roleRef.name)) {
        reportRole(roleRef.name, [...at, index, 'roleRef', 'name'], report);
      }
    });
    reportDuplicates(
      bindings.map(({ roleRef }) => roleRef.name),
      at,
      report,
    );
  },
};

const namespaced: AgentCheck = {
  reads: ['rbac'],
  check: ({ spec, metadata, settings }, report) => {
    const bindings = spec.rbac?.roleBindings ?? [];
    const at = ['spec', 'rbac', 'roleBindings'];
    bindings.forEach(({ namespace, roleRef }, index) => {
      const isAllowedRole =
        roleRef.kind === 'Role' || [...HARMLESS_IN_NAMESPACE, ...settings.allowedClusterRoles].includes(roleRef.name);
      if (!isAllowedRole) reportRole(roleRef.name, [...at, index, 'roleRef', 'name'], report);
      const isForeign = metadata !== undefined && namespace !== metadata.namespace;
      if (isForeign && !settings.allowedBindingNamespaces.includes(namespace)) {
        const message = `bindings in namespace ${namespace} are not allowed`;
        const hint = `bind in the agent's own namespace, or allow it with --allowed-binding-namespaces ${namespace}`;
        report.error([...at, index, 'namespace'], { rule: 'NamespaceNotAllowed', message, hint });
      }
    });
    reportDuplicates(bindings.map(identity), at, report);
  },
};

function identity({ namespace, roleRef }: RoleBinding): string {
  return [namespace, roleRef.kind, roleRef.name].join('/');
}

function reportRole(role: string, path: readonly PathSegment[], report: Reporter): void {
  const message = `the ClusterRole ${role} is not allowed`;
  const hint = `bind a role that is allowed, or allow it with --allowed-cluster-roles ${role}`;
  report.error(path, { rule: 'ClusterRoleNotAllowed', message, hint });
}

function reportDuplicates(identities: readonly string[], path: readonly PathSegment[], report: Reporter): void {
  identities.forEach((id, index) => {
    const first = identities.indexOf(id);
    if (first === index) return;
    const message = `is the same binding as item ${first}`;
    report.error([...path, index], { rule: 'DuplicateBinding', message, hint: 'remove one of the two' });
  });
}

/** Which roles an agent may be given, and where. */
export const bindingChecks: readonly AgentCheck[] = [clusterWide, namespaced];
