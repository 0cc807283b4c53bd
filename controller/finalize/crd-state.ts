import type { KubeApi } from '../kube/client.js';
import { KubeStatusError } from '../kube/errors.js';
import { METADATA_ONLY } from '../kube/list.js';
import { crdName, objectPath, RESOURCES, type ResourceType } from '../kube/resources.js';

/**
 * Whether the CRD of a kind of ours is on its way out: then every object of it is being deleted, and nobody asked for
 * what belongs to them to go. All ask at once, so those that wait share one read; but no answer is ever older than the
 * question, for an object goes after its kind does. When the CRD may not be read the answer is no.
 */
export function crdState(api: KubeApi, resource: ResourceType): () => Promise<boolean> {
  let running: Promise<boolean> | undefined;
  let next: Promise<boolean> | undefined;
  const read = (): Promise<boolean> => {
    next = undefined;
    const current = readCrdState(api, resource).finally(() => {
      if (running === current) running = undefined;
    });
    running = current;
    return current;
  };
  return () => {
    if (running === undefined) return read();
    next ??= running.then(read, read);
    return next;
  };
}

async function readCrdState(api: KubeApi, resource: ResourceType): Promise<boolean> {
  try {
    const crd = (await api.request({
      method: 'GET',
      path: objectPath(RESOURCES.customResourceDefinitions, { name: crdName(resource) }),
      accept: METADATA_ONLY,
    })) as { readonly metadata?: { readonly deletionTimestamp?: string } } | undefined;
    return crd?.metadata?.deletionTimestamp !== undefined;
  } catch (error) {
    if (!(error instanceof KubeStatusError) || error.statusCode === 429 || error.statusCode >= 500) throw error;
    return error.statusCode === 404;
  }
}
