import { FIELD_MANAGER } from '../../lib/api/identity.js';
import type { KubeApi } from '../kube/client.js';
import { deleteRequest } from '../kube/object-requests.js';
import type { KubeObject } from '../kube/objects.js';
import { objectPath, RESOURCES } from '../kube/resources.js';
import type { WorkloadKind } from './objects.js';

const KINDS = {
  Job: { resource: RESOURCES.jobs, stopped: { suspend: true } },
  Sandbox: { resource: RESOURCES.sandboxes, stopped: { operatingMode: 'Suspended' } },
} as const;

/** All that the controller does to a workload. Conflict (409) when it is no longer the one that was judged. */
export interface WorkloadWriter {
  /**
   * Asks its own controller for no pod, by a field that rendering never sets: engines leave it alone, where they would
   * undo a deletion.
   */
  stop(kind: WorkloadKind, workload: KubeObject): Promise<void>;
  /** Deletes it; its pods follow. */
  remove(kind: WorkloadKind, workload: KubeObject): Promise<void>;
}

/** {@link WorkloadWriter} on the API server. */
export function workloadWriter(api: KubeApi): WorkloadWriter {
  return {
    stop: async (kind, { metadata }) => {
      const { resource, stopped } = KINDS[kind];
      const { uid, resourceVersion } = metadata;
      await api.request({
        method: 'PATCH',
        path: objectPath(resource, metadata),
        query: { fieldManager: FIELD_MANAGER },
        contentType: 'application/merge-patch+json',
        body: { metadata: { uid, resourceVersion }, spec: stopped },
      });
    },
    remove: async (kind, { metadata }) => {
      await api.request(deleteRequest(KINDS[kind].resource, metadata));
    },
  };
}
