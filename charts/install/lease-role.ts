import type { KubeManifest } from '../../lib/children/manifest.js';
import type { PolicyRule } from './cluster-role.js';
import { systemMetadata } from './metadata.js';
import { LEASE_NAME } from '../../lib/api/identity.js';
import { CONTROLLER } from './names.js';

/** What the controller does in its own namespace: electing a leader. A create cannot be limited to a name. */
export const LEASE_RULES: readonly PolicyRule[] = [
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], resourceNames: [LEASE_NAME], verbs: ['get', 'update'] },
];

/** {@link LEASE_RULES} as an object. */
export function leaseRole(): KubeManifest {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: systemMetadata(CONTROLLER),
    rules: LEASE_RULES,
  };
}
