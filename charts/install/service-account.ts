import type { KubeManifest } from '../../lib/children/manifest.js';
import { systemMetadata } from './metadata.js';
import { CONTROLLER_ACCOUNT } from './names.js';

/** The account that the controller runs as. Only its own pod asks for the token. */
export function serviceAccount(): KubeManifest {
  return {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: systemMetadata(CONTROLLER_ACCOUNT),
    automountServiceAccountToken: false,
  };
}
