import { LABELS } from '../../lib/api/identity.js';
import { DASHBOARD_PORT } from '../../lib/api/probe-access.js';
import type { KubeManifest } from '../../lib/children/manifest.js';
import { systemMetadata } from './metadata.js';
import { CONTROLLER, CONTROLLER_SELECTOR, PORTS } from './names.js';
import type { ResolvedInstallOptions } from './options.js';

/** In: metrics and probes. Out: the API server, and the dashboards of agents. */
export function networkPolicy({ apiServerPorts }: ResolvedInstallOptions): KubeManifest {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: systemMetadata(CONTROLLER),
    spec: {
      podSelector: { matchLabels: CONTROLLER_SELECTOR },
      policyTypes: ['Ingress', 'Egress'],
      ingress: [{ ports: [tcp(PORTS.metrics), tcp(PORTS.health)] }],
      egress: [
        // The API server is no pod, and its address is known to nobody here: the port is all there is to go by.
        { ports: apiServerPorts.map(tcp) },
        {
          to: [
            {
              namespaceSelector: {},
              podSelector: { matchExpressions: [{ key: LABELS.agent, operator: 'Exists' }] },
            },
          ],
          ports: [tcp(DASHBOARD_PORT)],
        },
      ],
    },
  };
}

function tcp(port: number): object {
  return { port, protocol: 'TCP' };
}
