import type { ResolvedAgent } from '../api/hermes-agent.js';
import { agentResourceName } from '../names.js';
import { childMetadata, type KubeManifest } from './manifest.js';

/** Whether the agent runs as a service account that somebody else manages. */
export function bringsOwnServiceAccount(agent: ResolvedAgent): boolean {
  return (agent.spec.serviceAccountName ?? '') !== '';
}

/** Name of the service account that the agent's pod runs as. */
export function serviceAccountName(agent: ResolvedAgent): string {
  const own = agent.spec.serviceAccountName ?? '';
  return own === '' ? agentResourceName(agent.name) : own;
}

/** The agent as the subject of a binding. */
export function serviceAccountSubject(agent: ResolvedAgent): Record<string, string> {
  return { kind: 'ServiceAccount', name: serviceAccountName(agent), namespace: agent.namespace };
}

/** The service account of the agent, unless it brings its own. */
export function renderServiceAccount(agent: ResolvedAgent): KubeManifest | undefined {
  if (bringsOwnServiceAccount(agent)) return undefined;
  return {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: childMetadata(agent, agentResourceName(agent.name)),
  };
}
