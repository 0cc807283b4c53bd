import type { KubeApi } from './client.js';
import { isExpired, KubeConnectionError } from './errors.js';
import { trimOf } from './managed-fields.js';
import { collectionPath, type ResourceType } from './resources.js';

/** Which objects of a resource are wanted, and how much of each. */
export interface Selection {
  readonly resource: ResourceType;
  /** All namespaces when absent. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  /** The one object of this name. */
  readonly name?: string;
  /** Asks the server for metadata only; the objects then carry neither spec nor status. */
  readonly metadataOnly?: boolean;
}

/** Accept header for one object's metadata. */
export const METADATA_ONLY = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';

const METADATA_LIST_ONLY = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
const PAGE_SIZE = '100';
const MAX_RESTARTS = 3;

interface ListPage {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly unknown[] | null;
}

/** Query parameters that list and watch share. */
export function selectionQuery(selection: Selection): Record<string, string> {
  const { labelSelector, name } = selection;
  return {
    ...(labelSelector !== undefined && { labelSelector }),
    ...(name !== undefined && { fieldSelector: `metadata.name=${name}` }),
  };
}

/**
 * Lists in pages. Each page goes to `keep` and is then garbage, so that a large list is never in memory as the server
 * sends it. Returns the kept items and the resourceVersion to watch from.
 */
export async function listAll<T>(
  api: KubeApi,
  selection: Selection,
  keep: (item: unknown) => T | undefined,
): Promise<{ readonly items: T[]; readonly resourceVersion: string }> {
  for (let restart = 0; ; restart++) {
    try {
      return await listOnce(api, selection, keep);
    } catch (error) {
      // A continue token lives about five minutes, and less when etcd is compacted; the first page never expires.
      if (!isExpired(error) || restart >= MAX_RESTARTS) throw error;
    }
  }
}

async function listOnce<T>(
  api: KubeApi,
  selection: Selection,
  keep: (item: unknown) => T | undefined,
): Promise<{ readonly items: T[]; readonly resourceVersion: string }> {
  const items: T[] = [];
  for (let token = ''; ;) {
    const page = await readPage(api, selection, token);
    for (const item of page.items ?? []) {
      const kept = keep(item);
      if (kept !== undefined) items.push(kept);
    }
    const { continue: next = '', resourceVersion } = page.metadata ?? {};
    if (next === '') {
      if (resourceVersion === undefined) throw new KubeConnectionError('list answer has no resourceVersion');
      return { items, resourceVersion };
    }
    token = next;
  }
}

async function readPage(api: KubeApi, selection: Selection, token: string): Promise<ListPage> {
  const page = await api.request({
    method: 'GET',
    path: collectionPath(selection.resource, selection.namespace),
    query: { ...selectionQuery(selection), limit: PAGE_SIZE, ...(token === '' ? {} : { continue: token }) },
    ...(selection.metadataOnly === true ? { accept: METADATA_LIST_ONLY } : {}),
    trim: trimOf(selection.resource),
  });
  return page ?? {};
}
