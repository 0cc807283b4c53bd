import type { ResolvedAgent } from '../api/hermes-agent.js';
import { AGENT_PLURAL, GROUP } from '../api/identity.js';
import { agentResourceName, selfRoleName } from '../names.js';
import { childMetadata, type KubeManifest } from './manifest.js';
import { bringsOwnServiceAccount } from './service-account.js';

/**
 * Lets the agent read itself and restart its own Deployment. Nothing for a service account that somebody else manages:
 * several agents may share it, and each would get the rights of all.
 */
export function renderSelfRole(agent: ResolvedAgent): KubeManifest | undefined {
  if (bringsOwnServiceAccount(agent)) return undefined;
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: childMetadata(agent, selfRoleName(agent.name)),
    rules: [
      {
        apiGroups: ['apps'],
        resources: ['deployments'],
        resourceNames: [agentResourceName(agent.name)],
        verbs: ['get', 'patch'],
      },
      { apiGroups: [GROUP], resources: [AGENT_PLURAL], resourceNames: [agent.name], verbs: ['get'] },
    ],
  };
}
