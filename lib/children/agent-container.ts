import type { ResolvedAgent } from '../api/hermes-agent.js';
import { agentEnv } from './env.js';
import { withoutEmpty } from './manifest.js';
import { HOME_MOUNT, SHM_MOUNT } from './volumes.js';

/** Name of the agent's own container. Status and default-container go by it. */
export const AGENT_CONTAINER = 'hermes';

/** The status command exits with 0 in every case, so the probe looks for the line it prints of a running gateway. */
const GATEWAY_RUNS = [
  '/bin/bash',
  '-c',
  "/opt/hermes/.venv/bin/hermes gateway status | grep -q '✓ Gateway is running'",
];

/** The container of the gateway. It listens on no port, hence the exec probes. */
export function agentContainer(agent: ResolvedAgent): Record<string, unknown> {
  const { spec } = agent;
  return withoutEmpty({
    name: AGENT_CONTAINER,
    image: spec.image,
    imagePullPolicy: spec.imagePullPolicy,
    args: ['gateway', 'run'],
    env: agentEnv(agent),
    envFrom: spec.envFrom,
    resources: spec.resources,
    securityContext: spec.securityContext,
    volumeMounts: [HOME_MOUNT, SHM_MOUNT, ...(spec.volumeMounts ?? [])],
    readinessProbe: { exec: { command: GATEWAY_RUNS }, periodSeconds: 10, timeoutSeconds: 3, failureThreshold: 3 },
    livenessProbe: {
      exec: { command: GATEWAY_RUNS },
      initialDelaySeconds: 20,
      periodSeconds: 30,
      timeoutSeconds: 5,
      failureThreshold: 5,
    },
  });
}
