import { AGENT_PLURAL, GROUP } from '../../lib/api/identity.js';
import type { KubeApi } from '../kube/client.js';
import { KubeStatusError } from '../kube/errors.js';

/**
 * Whether the HermesAgent CRD is on its way out: then every agent is being deleted, and nobody asked for their volumes
 * to go. All agents ask at once, so those that wait share one read; but no answer is ever older than the question, for
 * an agent goes after its kind does. When the CRD may not be read the answer is no.
 */
export function crdState(api: KubeApi): () => Promise<boolean> {
  let running: Promise<boolean> | undefined;
  let next: Promise<boolean> | undefined;
  const read = (): Promise<boolean> => {
    next = undefined;
    const current = readCrdState(api).finally(() => {
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

async function readCrdState(api: KubeApi): Promise<boolean> {
  try {
    const crd = (await api.request({
      method: 'GET',
      path: `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${AGENT_PLURAL}.${GROUP}`,
      accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
    })) as { readonly metadata?: { readonly deletionTimestamp?: string } } | undefined;
    return crd?.metadata?.deletionTimestamp !== undefined;
  } catch (error) {
    if (!(error instanceof KubeStatusError) || error.statusCode === 429 || error.statusCode >= 500) throw error;
    return error.statusCode === 404;
  }
}
