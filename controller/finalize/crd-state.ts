import { AGENT_PLURAL, GROUP } from '../../lib/api/identity.js';
import type { KubeApi } from '../kube/client.js';
import { KubeStatusError } from '../kube/errors.js';

const REMEMBERED_MS = 5_000;

/**
 * Whether the HermesAgent CRD is on its way out: then every agent is being deleted, and nobody asked for their volumes
 * to go. The answer is remembered for a few seconds, because all agents ask at once. When the CRD may not be read the
 * answer is no.
 */
export function crdState(api: KubeApi): () => Promise<boolean> {
  let known: { readonly at: number; readonly answer: Promise<boolean> } | undefined;
  return () => {
    const now = api.now();
    if (known === undefined || now - known.at > REMEMBERED_MS || now < known.at) {
      known = { at: now, answer: readCrdState(api) };
    }
    return known.answer;
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
    if (error instanceof KubeStatusError) return error.statusCode === 404;
    throw error;
  }
}
