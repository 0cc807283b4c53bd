import type { KubeManifest } from '../../lib/children/manifest.js';
import { clusterMetadata } from './metadata.js';
import { CONTROLLER, CONTROLLER_ACCOUNT, SYSTEM_NAMESPACE } from './names.js';

/** The controller as the subject of a binding. */
export const CONTROLLER_SUBJECT = {
  kind: 'ServiceAccount',
  name: CONTROLLER_ACCOUNT,
  namespace: SYSTEM_NAMESPACE,
} as const;

/** Binds a ClusterRole of the same name to the controller. */
export function controllerClusterRoleBinding(name: string = CONTROLLER): KubeManifest {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: clusterMetadata(name),
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [CONTROLLER_SUBJECT],
  };
}
