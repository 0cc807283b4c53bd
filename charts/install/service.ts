import type { KubeManifest } from '../../lib/children/manifest.js';
import { systemMetadata } from './metadata.js';
import { CONTROLLER, CONTROLLER_SELECTOR, PORTS } from './names.js';

/** Where the metrics of every replica are found. */
export function metricsService(): KubeManifest {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: systemMetadata(`${CONTROLLER}-metrics`),
    spec: {
      selector: CONTROLLER_SELECTOR,
      ports: [{ name: 'https-metrics', port: PORTS.metrics, targetPort: 'metrics', protocol: 'TCP' }],
    },
  };
}
