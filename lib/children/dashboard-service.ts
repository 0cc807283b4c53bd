import type { ResolvedAgent } from '../api/hermes-agent.js';
import { DASHBOARD_PORT } from '../api/probe-access.js';
import { dashboardName } from '../names.js';
import { DASHBOARD_PORT_NAME } from './dashboard-container.js';
import { childMetadata, type KubeManifest, podSelector } from './manifest.js';

/** The Service of the dashboard. It answers while the gateway does not, because that is when people look at it. */
export function renderDashboardService(agent: ResolvedAgent): KubeManifest | undefined {
  const { dashboard } = agent.spec;
  if (dashboard?.enabled !== true) return undefined;
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: childMetadata(agent, dashboardName(agent.name), dashboard.service?.annotations),
    spec: {
      type: dashboard.service?.type ?? 'ClusterIP',
      ports: [{ name: DASHBOARD_PORT_NAME, port: DASHBOARD_PORT, protocol: 'TCP', targetPort: DASHBOARD_PORT }],
      publishNotReadyAddresses: true,
      selector: podSelector(agent),
    },
  };
}
