import type { ResolvedAgent } from '../api/hermes-agent.js';
import { DASHBOARD_PORT } from '../api/probe-access.js';
import { withoutEmpty } from './manifest.js';
import { HOME_MOUNT } from './volumes.js';

/** Name of the dashboard's port. */
export const DASHBOARD_PORT_NAME = 'dashboard';

/** User and group that the image keeps its home as. */
const HERMES_ID = 10000;

/**
 * The sidecar of the dashboard. It carries no probe: the agent has to go on working when its dashboard does not.
 * The command goes past the image's entry point, which would otherwise have switched to the user of the home.
 */
export function dashboardContainer(agent: ResolvedAgent): Record<string, unknown> | undefined {
  const { dashboard, image, imagePullPolicy } = agent.spec;
  if (dashboard?.enabled !== true) return undefined;
  return withoutEmpty({
    name: 'dashboard',
    image: dashboard.image ?? image,
    imagePullPolicy,
    command: ['/opt/hermes/.venv/bin/hermes'],
    // Older images refuse to listen beyond the loopback without --insecure; newer ones ignore it.
    args: ['dashboard', '--host', '0.0.0.0', '--no-open', '--insecure'],
    env: dashboard.env,
    envFrom: dashboard.envFrom,
    ports: [{ name: DASHBOARD_PORT_NAME, containerPort: DASHBOARD_PORT, protocol: 'TCP' }],
    resources: dashboard.resources,
    securityContext: { runAsUser: HERMES_ID, runAsGroup: HERMES_ID },
    volumeMounts: [HOME_MOUNT],
  });
}
