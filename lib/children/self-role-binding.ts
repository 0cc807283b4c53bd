import type { ResolvedAgent } from '../api/hermes-agent.js';
import { selfRoleName } from '../names.js';
import { childMetadata, type KubeManifest } from './manifest.js';
import { bringsOwnServiceAccount, serviceAccountSubject } from './service-account.js';

/** Binds the self Role to the agent's service account. */
export function renderSelfRoleBinding(agent: ResolvedAgent): KubeManifest | undefined {
  if (bringsOwnServiceAccount(agent)) return undefined;
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: childMetadata(agent, selfRoleName(agent.name)),
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: selfRoleName(agent.name) },
    subjects: [serviceAccountSubject(agent)],
  };
}
