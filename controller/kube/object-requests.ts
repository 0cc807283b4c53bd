import type { KubeApi, KubeRequest } from './client.js';
import { hasStatusCode } from './errors.js';
import type { KubeObject } from './objects.js';
import { objectPath, type ResourceType } from './resources.js';

/** How an object is deleted; the part of `DeleteOptions` that is used. */
interface DeleteOptions {
  readonly preconditions: { readonly uid: string; readonly resourceVersion?: string };
  readonly propagationPolicy?: 'Background';
}

/** Reads what may not be there: undefined where the server knows nothing of it (404). Rejects like every request. */
export async function findObject(api: KubeApi, request: Omit<KubeRequest, 'method'>): Promise<unknown> {
  try {
    return await api.request({ ...request, method: 'GET' });
  } catch (error) {
    if (hasStatusCode(error, 404)) return undefined;
    throw error;
  }
}

/**
 * The request that deletes this very object, by its uid, and what it owns. Answered with a conflict (409) when another
 * one has its name by now.
 */
export function deleteRequest(
  resource: ResourceType,
  metadata: KubeObject['metadata'],
  options: DeleteOptions = { preconditions: { uid: metadata.uid }, propagationPolicy: 'Background' },
): KubeRequest {
  return {
    method: 'DELETE',
    path: objectPath(resource, metadata),
    body: { apiVersion: 'v1', kind: 'DeleteOptions', ...options },
  };
}
