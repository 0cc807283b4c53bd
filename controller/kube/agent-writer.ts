import { FIELD_MANAGER, FINALIZER } from '../../lib/api/identity.js';
import type { KubeApi, KubeRequest } from './client.js';
import { hasStatusCode } from './errors.js';
import type { StoredAgent } from './objects.js';
import { ownStatus, ownStatusPatch, type StatusFields } from './own-status.js';
import { apiVersionOf, objectPath, RESOURCES } from './resources.js';

const RESOURCE = RESOURCES.agents;

/** What every schema of ours has let through; nothing is rendered from it. */
const SMALLEST_SPEC = { image: 'none', storage: { existingClaimName: 'none' } };

/** The only writes that the controller does to an agent, and the read that follows a conflict. */
export interface AgentWriter {
  /** Applies the fields of the status that are ours. Conflict (409) when the agent is no longer the one that was read. */
  applyStatus(agent: StoredAgent, status: object): Promise<unknown>;
  /** Undefined when it is gone. */
  read(agent: StoredAgent): Promise<unknown>;
  /**
   * Adds or removes our finalizer; the others stay, in their order. Conflict (409) as above. Only an agent that is being
   * deleted may lose it.
   */
  setFinalizer(agent: StoredAgent, isPresent: boolean): Promise<unknown>;
}

/** {@link AgentWriter} on the API server. */
export function agentWriter(api: KubeApi): AgentWriter {
  return {
    applyStatus: async (agent, status) => {
      try {
        return await api.request(applyRequest(agent, { ...status }));
      } catch (error) {
        // Apply reads the whole object by its schema, and one that was stored past it cannot be read. A merge patch asks
        // nothing of what it leaves as it is.
        if (!hasStatusCode(error, 500) && !hasStatusCode(error, 422)) throw error;
        return api.request(mergeRequest(agent, { ...status }));
      }
    },
    read: async (agent) => {
      try {
        return await api.request({ method: 'GET', path: objectPath(RESOURCE, agent.metadata) });
      } catch (error) {
        if (hasStatusCode(error, 404)) return undefined;
        throw error;
      }
    },
    setFinalizer: async (agent, isPresent) => {
      try {
        return await api.request(finalizerRequest(agent, isPresent));
      } catch (error) {
        // Some specs that were stored past the schema let nothing at all be changed beside them.
        if (isPresent || !hasStatusCode(error, 422)) throw error;
        return api.request(releaseRequest(agent));
      }
    },
  };
}

function finalizerRequest(agent: StoredAgent, isPresent: boolean): KubeRequest {
  const { uid, resourceVersion } = agent.metadata;
  const others = otherFinalizers(agent);
  return {
    method: 'PATCH',
    path: objectPath(RESOURCE, agent.metadata),
    query: { fieldManager: FIELD_MANAGER },
    contentType: 'application/merge-patch+json',
    body: { metadata: { uid, resourceVersion, finalizers: isPresent ? [...others, FINALIZER] : others } },
  };
}

/** Removes our finalizer together with a spec that is in the way: the agent is being deleted, and would be for ever. */
function releaseRequest(agent: StoredAgent): KubeRequest {
  const { uid, resourceVersion } = agent.metadata;
  const add = (path: string, value: unknown): object => ({ op: 'add', path, value });
  return {
    method: 'PATCH',
    path: objectPath(RESOURCE, agent.metadata),
    query: { fieldManager: FIELD_MANAGER },
    contentType: 'application/json-patch+json',
    body: [
      { op: 'test', path: '/metadata/uid', value: uid },
      add('/metadata/resourceVersion', resourceVersion),
      add('/metadata/finalizers', otherFinalizers(agent)),
      add('/spec', SMALLEST_SPEC),
    ],
  };
}

function otherFinalizers({ metadata }: StoredAgent): readonly string[] {
  return (metadata.finalizers ?? []).filter((finalizer) => finalizer !== FINALIZER);
}

function applyRequest(agent: StoredAgent, status: StatusFields): KubeRequest {
  const { name, namespace, resourceVersion } = agent.metadata;
  return {
    method: 'PATCH',
    path: objectPath(RESOURCE, agent.metadata, 'status'),
    query: { fieldManager: FIELD_MANAGER, force: 'true' },
    contentType: 'application/apply-patch+yaml',
    body: {
      apiVersion: apiVersionOf(RESOURCE),
      kind: RESOURCE.kind,
      // The resourceVersion and not the uid: an apply with a foreign uid is accepted, and would put the old state on
      // an agent that was deleted and created again.
      metadata: { name, namespace, resourceVersion },
      status: ownStatus(status),
    },
  };
}

function mergeRequest(agent: StoredAgent, status: StatusFields): KubeRequest {
  const { uid, resourceVersion } = agent.metadata;
  return {
    method: 'PATCH',
    path: objectPath(RESOURCE, agent.metadata, 'status'),
    query: { fieldManager: FIELD_MANAGER },
    contentType: 'application/merge-patch+json',
    body: { metadata: { uid, resourceVersion }, status: ownStatusPatch({ ...agent.status }, status) },
  };
}
