import { FIELD_MANAGER, FINALIZER } from '../../lib/api/identity.js';
import type { KubeApi, KubeRequest } from './client.js';
import { hasStatusCode } from './errors.js';
import { trimOf } from './managed-fields.js';
import { findObject } from './object-requests.js';
import type { StoredObject } from './objects.js';
import { ownStatus, ownStatusPatch, type StatusFields, type StatusOwnership } from './own-status.js';
import { apiVersionOf, objectPath, type ResourceType } from './resources.js';

/** One of our kinds, as far as it is written. */
export interface OwnKind {
  readonly resource: ResourceType;
  readonly status: StatusOwnership;
  /** What every schema of ours has let through; nothing is rendered from it. */
  readonly smallestSpec: object;
}

/** The only writes that the controller does to an object of its kinds, and the read that follows a conflict. */
export interface ObjectWriter {
  /** Applies the fields of the status that are ours. Conflict (409) when the object is no longer the one that was read. */
  applyStatus(object: StoredObject, status: object): Promise<unknown>;
  /** Undefined when it is gone. */
  read(object: StoredObject): Promise<unknown>;
  /**
   * Adds or removes our finalizer; the others stay, in their order. Conflict (409) as above. Only an object that is being
   * deleted may lose it.
   */
  setFinalizer(object: StoredObject, isPresent: boolean): Promise<unknown>;
}

/** {@link ObjectWriter} on the API server. */
export function objectWriter(api: KubeApi, kind: OwnKind): ObjectWriter {
  return {
    applyStatus: async (object, status) => {
      try {
        return await api.request(applyRequest(kind, object, { ...status }));
      } catch (error) {
        // Apply reads the whole object by its schema, and one that was stored past it cannot be read. A merge patch asks
        // nothing of what it leaves as it is.
        if (!hasStatusCode(error, 500) && !hasStatusCode(error, 422)) throw error;
        return api.request(mergeRequest(kind, object, { ...status }));
      }
    },
    read: (object) => findObject(api, { path: objectPath(kind.resource, object.metadata) }),
    setFinalizer: async (object, isPresent) => {
      try {
        return await api.request(finalizerRequest(kind, object, isPresent));
      } catch (error) {
        // Some specs that were stored past the schema let nothing at all be changed beside them.
        if (isPresent || !hasStatusCode(error, 422)) throw error;
        return api.request(releaseRequest(kind, object));
      }
    },
  };
}

function finalizerRequest(kind: OwnKind, object: StoredObject, isPresent: boolean): KubeRequest {
  const { uid, resourceVersion } = object.metadata;
  const others = otherFinalizers(object);
  return {
    method: 'PATCH',
    path: objectPath(kind.resource, object.metadata),
    query: { fieldManager: FIELD_MANAGER },
    contentType: 'application/merge-patch+json',
    body: { metadata: { uid, resourceVersion, finalizers: isPresent ? [...others, FINALIZER] : others } },
  };
}

/** Removes our finalizer together with a spec that is in the way: the object is being deleted, and would be for ever. */
function releaseRequest(kind: OwnKind, object: StoredObject): KubeRequest {
  const { uid, resourceVersion } = object.metadata;
  const add = (path: string, value: unknown): object => ({ op: 'add', path, value });
  return {
    method: 'PATCH',
    path: objectPath(kind.resource, object.metadata),
    query: { fieldManager: FIELD_MANAGER },
    contentType: 'application/json-patch+json',
    body: [
      { op: 'test', path: '/metadata/uid', value: uid },
      add('/metadata/resourceVersion', resourceVersion),
      add('/metadata/finalizers', otherFinalizers(object)),
      add('/spec', kind.smallestSpec),
    ],
  };
}

function otherFinalizers({ metadata }: StoredObject): readonly string[] {
  return (metadata.finalizers ?? []).filter((finalizer) => finalizer !== FINALIZER);
}

function applyRequest(kind: OwnKind, object: StoredObject, status: StatusFields): KubeRequest {
  const { name, namespace, resourceVersion } = object.metadata;
  return {
    method: 'PATCH',
    path: objectPath(kind.resource, object.metadata, 'status'),
    query: { fieldManager: FIELD_MANAGER, force: 'true' },
    contentType: 'application/apply-patch+yaml',
    trim: trimOf(kind.resource),
    body: {
      apiVersion: apiVersionOf(kind.resource),
      kind: kind.resource.kind,
      // The resourceVersion and not the uid: an apply with a foreign uid is accepted, and would put the old state on
      // an object that was deleted and created again.
      metadata: { name, namespace, resourceVersion },
      status: ownStatus(status, kind.status),
    },
  };
}

function mergeRequest(kind: OwnKind, object: StoredObject, status: StatusFields): KubeRequest {
  const { uid, resourceVersion } = object.metadata;
  return {
    method: 'PATCH',
    path: objectPath(kind.resource, object.metadata, 'status'),
    query: { fieldManager: FIELD_MANAGER },
    contentType: 'application/merge-patch+json',
    body: { metadata: { uid, resourceVersion }, status: ownStatusPatch({ ...object.status }, status, kind.status) },
  };
}
