import type { KubeManifest } from '../../lib/children/manifest.js';
import { clusterMetadata } from './metadata.js';
import { SYSTEM_NAMESPACE } from './names.js';

const PROFILE = 'restricted';

/** The controller's own namespace, closed to pods that ask for more than the controller does. */
export function namespace(): KubeManifest {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: clusterMetadata(SYSTEM_NAMESPACE, {
      'pod-security.kubernetes.io/enforce': PROFILE,
      'pod-security.kubernetes.io/audit': PROFILE,
      'pod-security.kubernetes.io/warn': PROFILE,
    }),
  };
}
