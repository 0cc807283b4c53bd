import type { ResolvedAgent } from '../api/hermes-agent.js';
import { agentResourceName } from '../names.js';
import { childMetadata, type KubeManifest, podSelector } from './manifest.js';

/** The Service of the agent, in front of the port that its API and webhooks are served on. */
export function renderService(agent: ResolvedAgent): KubeManifest {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: childMetadata(agent, agentResourceName(agent.name)),
    spec: {
      type: 'ClusterIP',
      ports: [{ name: 'http', port: 8080, protocol: 'TCP', targetPort: 8080 }],
      selector: podSelector(agent),
    },
  };
}
