import { AGENT_KIND, API_VERSION } from '../api/identity.js';
import { toYaml } from '../emit/yaml.js';

/** Name of the agent that a new repository begins with. */
export const EXAMPLE_AGENT = 'mia';

/** The least that an agent needs, as people would write it. */
export function exampleAgent(namespace: string): string {
  const persistentVolumeClaim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  const agent = {
    apiVersion: API_VERSION,
    kind: AGENT_KIND,
    metadata: { name: EXAMPLE_AGENT, namespace },
    spec: { image: 'registry.example.net/hermes:v1', storage: { persistentVolumeClaim } },
  };
  return `# An agent to begin with. Give it an image that your cluster can pull, then render.\n${toYaml(agent)}`;
}
