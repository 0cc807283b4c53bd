import { LABELS } from '../../lib/api/identity.js';
import { keepBinding } from '../cache/transforms.js';
import type { KubeApi } from '../kube/client.js';
import { hasStatusCode } from '../kube/errors.js';
import { listAll } from '../kube/list.js';
import type { Binding, StoredAgent } from '../kube/objects.js';
import { apiVersionOf, RESOURCES, type ResourceType } from '../kube/resources.js';

/** What a look at the bindings came to. */
export interface LiveBindings {
  readonly items: readonly Binding[];
  /** Where the controller was not let look (403). */
  readonly refused: readonly RefusedScope[];
}

/** Bindings of one namespace, or of the cluster where there is none, that may not be listed. */
export interface RefusedScope {
  readonly resource: ResourceType;
  readonly namespace?: string;
  readonly error: unknown;
}

/** Reads the bindings that carry the labels of an agent. */
export type ReadBindings = (agent: StoredAgent) => Promise<LiveBindings>;

/**
 * Bindings as the API server has them now. The cache may be behind, by a moment or by the time-out of a dead watch, and
 * rights that it does not show yet would outlive their agent. Without `namespaces` the whole cluster is read, else these
 * alone. Rejects like every request, but for a refusal: of many namespaces one may have lost its Role, or be gone.
 */
export function liveBindings(api: KubeApi, namespaces: readonly string[]): ReadBindings {
  const { roleBindings, clusterRoleBindings } = RESOURCES;
  return async ({ metadata: { name, namespace = '' } }) => {
    const labelSelector = `${LABELS.agent}=${name},${LABELS.agentNamespace}=${namespace}`;
    const refused: RefusedScope[] = [];
    const read = async (resource: ResourceType, scope?: string): Promise<readonly Binding[]> => {
      const keep = keepBinding({ apiVersion: apiVersionOf(resource), kind: resource.kind });
      const where = scope === undefined ? {} : { namespace: scope };
      try {
        return (await listAll(api, { resource, labelSelector, ...where }, keep)).items;
      } catch (error) {
        if (!hasStatusCode(error, 403)) throw error;
        refused.push({ resource, ...where, error });
        return [];
      }
    };
    const lists =
      namespaces.length === 0
        ? [read(roleBindings), read(clusterRoleBindings)]
        : namespaces.map((scope) => read(roleBindings, scope));
    return { items: (await Promise.all(lists)).flat(), refused };
  };
}
