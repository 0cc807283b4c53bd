import { LABELS } from '../../lib/api/identity.js';
import { keepBinding } from '../cache/transforms.js';
import type { KubeApi } from '../kube/client.js';
import { listAll } from '../kube/list.js';
import type { Binding, StoredAgent } from '../kube/objects.js';
import { apiVersionOf, RESOURCES, type ResourceType } from '../kube/resources.js';

/** Reads the bindings that carry the labels of an agent. */
export type ReadBindings = (agent: StoredAgent) => Promise<readonly Binding[]>;

/**
 * Bindings as the API server has them now. The cache may be behind, by a moment or by the time-out of a dead watch, and
 * rights that it does not show yet would outlive their agent. Without `namespaces` the whole cluster is read, else these
 * alone. Rejects like every request.
 */
export function liveBindings(api: KubeApi, namespaces: readonly string[]): ReadBindings {
  const { roleBindings, clusterRoleBindings } = RESOURCES;
  return async ({ metadata: { name, namespace = '' } }) => {
    const labelSelector = `${LABELS.agent}=${name},${LABELS.agentNamespace}=${namespace}`;
    const read = async (resource: ResourceType, scope?: string): Promise<readonly Binding[]> => {
      const keep = keepBinding({ apiVersion: apiVersionOf(resource), kind: resource.kind });
      const selection = { resource, labelSelector, ...(scope === undefined ? {} : { namespace: scope }) };
      return (await listAll(api, selection, keep)).items;
    };
    const lists =
      namespaces.length === 0
        ? [read(roleBindings), read(clusterRoleBindings)]
        : namespaces.map((scope) => read(roleBindings, scope));
    return (await Promise.all(lists)).flat();
  };
}
