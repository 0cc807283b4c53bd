import { AGENT_PLURAL, GROUP, RUN_PLURAL } from '../../lib/api/identity.js';
import type { KubeManifest } from '../../lib/children/manifest.js';
import { clusterMetadata } from './metadata.js';

/** The roles of Kubernetes that ours are added to. */
export type AggregatedRole = 'view' | 'edit' | 'admin';

const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'update', 'patch', 'delete', 'deletecollection'];

const VERBS: Readonly<Record<AggregatedRole, readonly string[]>> = {
  view: READ,
  edit: [...READ, ...WRITE],
  admin: [...READ, ...WRITE],
};

/** Extends `view`, `edit` or `admin` to agents and runs. Status is left to the controller. */
export function aggregatedClusterRole(role: AggregatedRole): KubeManifest {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: clusterMetadata(`hermes-gitops-${role}`, { [`rbac.authorization.k8s.io/aggregate-to-${role}`]: 'true' }),
    rules: [{ apiGroups: [GROUP], resources: [AGENT_PLURAL, RUN_PLURAL], verbs: VERBS[role] }],
  };
}
