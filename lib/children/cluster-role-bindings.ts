import type { ResolvedAgent } from '../api/hermes-agent.js';
import { clusterRoleBindingName } from '../names.js';
import { childMetadata, type KubeManifest } from './manifest.js';
import { serviceAccountSubject } from './service-account.js';

/** One ClusterRoleBinding for each entry of `spec.rbac.clusterRoleBindings`, by name. */
export function renderClusterRoleBindings(agent: ResolvedAgent): readonly KubeManifest[] {
  return (agent.spec.rbac?.clusterRoleBindings ?? [])
    .map(({ roleRef }) => {
      const name = clusterRoleBindingName(agent.name, agent.namespace, roleRef);
      const { labels, annotations } = childMetadata(agent, name);
      return {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name, ...(labels && { labels }), ...(annotations && { annotations }) },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: roleRef.kind, name: roleRef.name },
        subjects: [serviceAccountSubject(agent)],
      };
    })
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}
