import type { HermesAgentSpec, PersistentVolumeClaimSpec } from '../../lib/api/generated/types.js';
import type { InputMetadata, ResolvedAgent, ResolvedAgentSpec } from '../../lib/api/hermes-agent.js';
import { AGENT_KIND, API_VERSION } from '../../lib/api/identity.js';

/** A claim with all that the API server asks for. */
export const CLAIM: PersistentVolumeClaimSpec = {
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage: '1Gi' } },
};

/** An agent as validation would hand it over, without asking validation: the defaults are written here. */
export function resolvedAgent(
  spec: Partial<HermesAgentSpec> = {},
  metadata: Partial<InputMetadata> = {},
): ResolvedAgent {
  const input: HermesAgentSpec = {
    image: 'registry.example.net/hermes:v1',
    storage: { persistentVolumeClaim: CLAIM },
    ...spec,
  };
  const { name = 'mia', namespace = 'lab' } = metadata;
  const resolved = {
    imagePullPolicy: 'IfNotPresent',
    suspend: false,
    terminationGracePeriodSeconds: 210,
    execBackend: 'local',
    ...input,
    storage: { retainPolicy: 'Retain', ...input.storage },
    ...(input.dashboard && { dashboard: { enabled: false, ...input.dashboard } }),
    ...(input.networkPolicy && { networkPolicy: { enabled: false, ...input.networkPolicy } }),
  } as ResolvedAgentSpec;
  return {
    object: { apiVersion: API_VERSION, kind: AGENT_KIND, metadata: { ...metadata, name, namespace }, spec: input },
    name,
    namespace,
    spec: resolved,
    digest: 'v1:0000',
  };
}
