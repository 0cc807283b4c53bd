import type { ResolvedAgent } from '../api/hermes-agent.js';
import { FOREIGN } from '../api/identity.js';
import { agentResourceName } from '../names.js';
import { AGENT_CONTAINER, agentContainer } from './agent-container.js';
import { dashboardContainer } from './dashboard-container.js';
import { childLabels, childMetadata, type KubeManifest, podSelector, withoutEmpty } from './manifest.js';
import { schedulingOf } from './scheduling.js';
import { serviceAccountName } from './service-account.js';
import { podVolumes } from './volumes.js';

/** Written by `kubectl rollout restart`; from Git it would undo or repeat a restart with every sync. */
const RESTARTED_AT = 'kubectl.kubernetes.io/restartedAt';

/**
 * The Deployment of the agent: one pod, replaced and never doubled, because the gateway locks its home for life. The
 * template carries nothing that changes with every edit of the spec, so that an edit which leaves the pod alone
 * restarts nothing.
 */
export function renderDeployment(agent: ResolvedAgent): KubeManifest {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    // Flux would otherwise take a restart back within one interval, and restart the agent again by doing so.
    metadata: childMetadata(agent, agentResourceName(agent.name), { [FOREIGN.fluxServerSideApply]: 'Merge' }),
    spec: {
      replicas: agent.spec.suspend ? 0 : 1,
      revisionHistoryLimit: 3,
      progressDeadlineSeconds: 600,
      strategy: { type: 'Recreate' },
      selector: { matchLabels: podSelector(agent) },
      template: { metadata: podMetadata(agent), spec: podSpec(agent) },
    },
  };
}

function podMetadata(agent: ResolvedAgent): Record<string, unknown> {
  const annotations = { ...agent.spec.podAnnotations, [FOREIGN.defaultContainer]: AGENT_CONTAINER };
  return {
    annotations: Object.fromEntries(Object.entries(annotations).filter(([key]) => key !== RESTARTED_AT)),
    labels: { ...agent.spec.podLabels, ...childLabels(agent), ...podSelector(agent) },
  };
}

function podSpec(agent: ResolvedAgent): Record<string, unknown> {
  const { spec } = agent;
  const dashboard = dashboardContainer(agent);
  return withoutEmpty({
    serviceAccountName: serviceAccountName(agent),
    imagePullSecrets: spec.imagePullSecrets,
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: spec.terminationGracePeriodSeconds,
    // The dashboard finds the gateway by its process id.
    shareProcessNamespace: dashboard === undefined ? undefined : true,
    containers: dashboard === undefined ? [agentContainer(agent)] : [agentContainer(agent), dashboard],
    volumes: podVolumes(agent),
    ...schedulingOf(agent),
  });
}
