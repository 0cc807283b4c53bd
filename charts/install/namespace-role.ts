import type { KubeManifest } from '../../lib/children/manifest.js';
import { CONTROLLER_SUBJECT } from './cluster-role-binding.js';
import { NAMESPACED_RULES } from './cluster-role.js';
import { clusterMetadata } from './metadata.js';
import { CONTROLLER } from './names.js';

/**
 * What the controller may in one namespace, where it is kept to some; by the names of their files. They name no namespace
 * themselves: the kustomization that takes them in does.
 */
export function namespaceRights(): Readonly<Record<string, KubeManifest>> {
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const metadata = clusterMetadata(CONTROLLER);
  return {
    role: { apiVersion, kind: 'Role', metadata, rules: NAMESPACED_RULES },
    'role-binding': {
      apiVersion,
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: CONTROLLER },
      subjects: [CONTROLLER_SUBJECT],
    },
  };
}
