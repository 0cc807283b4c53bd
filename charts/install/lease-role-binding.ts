import type { KubeManifest } from '../../lib/children/manifest.js';
import { CONTROLLER_SUBJECT } from './cluster-role-binding.js';
import { systemMetadata } from './metadata.js';
import { CONTROLLER } from './names.js';

/** Binds the Role for the Lease to the controller. */
export function leaseRoleBinding(): KubeManifest {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: systemMetadata(CONTROLLER),
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: CONTROLLER },
    subjects: [CONTROLLER_SUBJECT],
  };
}
