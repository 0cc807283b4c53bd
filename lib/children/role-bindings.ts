import type { ResolvedAgent } from '../api/hermes-agent.js';
import { roleBindingName } from '../names.js';
import { childMetadata, type KubeManifest } from './manifest.js';
import { serviceAccountSubject } from './service-account.js';

/** One RoleBinding for each entry of `spec.rbac.roleBindings`, in the namespace of the entry, by name. */
export function renderRoleBindings(agent: ResolvedAgent): readonly KubeManifest[] {
  return (agent.spec.rbac?.roleBindings ?? [])
    .map(({ namespace, roleRef }) => ({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: {
        ...childMetadata(agent, roleBindingName(agent.name, agent.namespace, namespace, roleRef)),
        namespace,
      },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: roleRef.kind, name: roleRef.name },
      subjects: [serviceAccountSubject(agent)],
    }))
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}
