import type { KubeManifest } from '../../lib/children/manifest.js';
import { systemMetadata } from './metadata.js';
import { CONTROLLER, CONTROLLER_SELECTOR } from './names.js';

/** One replica at a time; a sick one never holds up the drain of a node. */
export function podDisruptionBudget(): KubeManifest {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: systemMetadata(CONTROLLER),
    spec: {
      maxUnavailable: 1,
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
      selector: { matchLabels: CONTROLLER_SELECTOR },
    },
  };
}
