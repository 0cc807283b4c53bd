import type { ResolvedAgent } from '../api/hermes-agent.js';
import { FOREIGN } from '../api/identity.js';
import { dataClaimName } from '../names.js';
import { childMetadata, type KubeManifest } from './manifest.js';

/**
 * What keeps a claim when it leaves Git or its application is deleted. `IgnoreExtraneous` spares Argo CD from reporting
 * the kept claim as out of sync for ever.
 */
const RETAINED = {
  [FOREIGN.argoSyncOptions]: 'Prune=false,Delete=false',
  [FOREIGN.argoCompareOptions]: 'IgnoreExtraneous',
  [FOREIGN.fluxPrune]: 'disabled',
};

/**
 * A claim of a class that waits for its pod is pending for as long as its agent is suspended, and Argo CD would take the
 * application for unfinished. When it is a pod that waits for the claim, the agent itself is not healthy.
 */
const JUDGED_BY_AGENT = { [FOREIGN.argoIgnoreHealth]: 'true' };

/** Name of the claim that the pod mounts as its home. */
export function homeClaimName(agent: ResolvedAgent): string {
  const existing = agent.spec.storage.existingClaimName ?? '';
  return existing === '' ? dataClaimName(agent.name) : existing;
}

/** The claim of the agent's home, unless it uses one that exists. */
export function renderPersistentVolumeClaim(agent: ResolvedAgent): KubeManifest | undefined {
  const { existingClaimName = '', persistentVolumeClaim, retainPolicy } = agent.spec.storage;
  if (existingClaimName !== '' || persistentVolumeClaim === undefined) return undefined;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: childMetadata(agent, dataClaimName(agent.name), {
      ...JUDGED_BY_AGENT,
      ...(retainPolicy === 'Retain' && RETAINED),
    }),
    spec: persistentVolumeClaim,
  };
}
