import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** How many agents share a namespace in a generated fleet. */
const PER_NAMESPACE = 50;

/** Name and namespace of the agent of this number. */
export function agentIdentity(index: number): { readonly name: string; readonly namespace: string } {
  return { name: `agent-${index}`, namespace: `team-${Math.floor(index / PER_NAMESPACE)}` };
}

/** A HermesAgent of the size that people write: two providers, two gateways, resources, a handful of variables. */
export function agentManifest(index: number): object {
  const { name, namespace } = agentIdentity(index);
  return {
    apiVersion: 'hermes-gitops.dev/v1alpha1',
    kind: 'HermesAgent',
    metadata: { name, namespace, labels: { team: namespace } },
    spec: {
      image: 'registry.example.net/hermes:v1.4.2',
      storage: {
        persistentVolumeClaim: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '5Gi' } } },
      },
      resources: { requests: { cpu: '250m', memory: '512Mi' }, limits: { memory: '2Gi' } },
      llmDefaultProvider: 'anthropic',
      llmProviders: ['anthropic', 'openrouter'].map((provider) => ({
        name: provider,
        env: [{ name: `${provider.toUpperCase()}_API_KEY`, value: `key-${index}` }],
      })),
      gateways: ['discord', 'telegram'].map((type) => ({
        type,
        env: [{ name: `${type.toUpperCase()}_TOKEN`, value: `token-${index}` }],
      })),
      env: [
        { name: 'TZ', value: 'Europe/Berlin' },
        { name: 'AGENT_NUMBER', value: String(index) },
      ],
    },
  };
}

/** Writes a fleet, one file an agent as people keep them. */
export async function writeFleet(folder: string, agents: number): Promise<void> {
  for (let index = 0; index < agents; index++) {
    const { name, namespace } = agentIdentity(index);
    await mkdir(join(folder, namespace), { recursive: true });
    await writeFile(join(folder, namespace, `${name}.yaml`), yamlOf(index));
  }
}

/** Block style, as people write it: JSON would be read on another path than YAML. */
function yamlOf(index: number): string {
  const { name, namespace } = agentIdentity(index);
  const variable = (indent: string, key: string, value: string): string =>
    `${indent}- name: ${key}\n${indent}  value: ${value}\n`;
  return `# Agent number ${index}
apiVersion: hermes-gitops.dev/v1alpha1
kind: HermesAgent
metadata:
  name: ${name}
  namespace: ${namespace}
  labels:
    team: ${namespace}
spec:
  image: registry.example.net/hermes:v1.4.2
  storage:
    persistentVolumeClaim:
      accessModes: [ReadWriteOnce]
      resources:
        requests:
          storage: 5Gi
  resources:
    requests:
      cpu: 250m
      memory: 512Mi
    limits:
      memory: 2Gi
  llmDefaultProvider: anthropic
  llmProviders:
    - name: anthropic
      env:
${variable('        ', 'ANTHROPIC_API_KEY', `key-${index}`)}    - name: openrouter
      env:
${variable('        ', 'OPENROUTER_API_KEY', `key-${index}`)}  gateways:
    - type: discord
      env:
${variable('        ', 'DISCORD_TOKEN', `token-${index}`)}    - type: telegram
      env:
${variable('        ', 'TELEGRAM_TOKEN', `token-${index}`)}  env:
${variable('    ', 'TZ', 'Europe/Berlin')}${variable('    ', 'AGENT_NUMBER', `"${index}"`)}`;
}
