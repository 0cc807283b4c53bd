import { FINALIZER } from '../../lib/api/identity.js';
import { AGENT } from '../../controller/kube/agent-kind.js';
import { holds } from '../../controller/finalize/hold.js';
import type { KubeApi } from '../../controller/kube/client.js';
import { hasStatusCode } from '../../controller/kube/errors.js';
import { listAll } from '../../controller/kube/list.js';
import { findObject } from '../../controller/kube/object-requests.js';
import { objectWriter } from '../../controller/kube/object-writer.js';
import type { KubeObject } from '../../controller/kube/objects.js';
import { RUN } from '../../controller/kube/run-kind.js';
import { objectPath, RESOURCES, type ResourceType } from '../../controller/kube/resources.js';

/** An agent or a run that waits for the controller before it can go. */
export interface HeldObject {
  readonly resource: ResourceType;
  readonly object: KubeObject;
}

const KINDS: readonly ResourceType[] = [RESOURCES.agents, RESOURCES.runs];

const MAX_CONFLICTS = 5;

/** Everything that carries our finalizer, in one namespace or in all of them. A kind that is not served holds nothing. */
export async function heldObjects(api: KubeApi, namespace?: string): Promise<readonly HeldObject[]> {
  const lists = await Promise.all(KINDS.map((resource) => heldOf(api, resource, namespace)));
  return lists.flat();
}

async function heldOf(api: KubeApi, resource: ResourceType, namespace?: string): Promise<readonly HeldObject[]> {
  const selection = { resource, metadataOnly: true, ...(namespace !== undefined && { namespace }) };
  try {
    const { items } = await listAll(api, selection, (item) => item as KubeObject);
    return items.filter(holds).map((object) => ({ resource, object }));
  } catch (error) {
    if (hasStatusCode(error, 404)) return [];
    throw error;
  }
}

/** Removes our finalizer and leaves those of others. Passes when the object is gone, or is another one by now. */
export async function release(api: KubeApi, held: HeldObject): Promise<void> {
  const { resource } = held;
  for (let object: KubeObject | undefined = held.object, conflicts = 0; object !== undefined; conflicts++) {
    try {
      await removeFinalizer(api, resource, object);
      return;
    } catch (error) {
      if (hasStatusCode(error, 404)) return;
      if (!hasStatusCode(error, 409) || conflicts >= MAX_CONFLICTS) throw error;
    }
    object = await readAgain(api, { resource, object: held.object });
  }
}

async function removeFinalizer(api: KubeApi, resource: ResourceType, object: KubeObject): Promise<void> {
  const { uid, resourceVersion, finalizers = [], deletionTimestamp } = object.metadata;
  const others = finalizers.filter((finalizer) => finalizer !== FINALIZER);
  try {
    await api.request({
      method: 'PATCH',
      path: objectPath(resource, object.metadata),
      contentType: 'application/merge-patch+json',
      body: { metadata: { uid, resourceVersion, finalizers: others } },
    });
  } catch (error) {
    // A spec that was stored past the schema may let nothing be changed; of what is to go anyway it is dropped.
    if (!hasStatusCode(error, 422) || deletionTimestamp === undefined) throw error;
    await objectWriter(api, resource === RESOURCES.runs ? RUN : AGENT).setFinalizer(object, false);
  }
}

async function readAgain(api: KubeApi, { resource, object }: HeldObject): Promise<KubeObject | undefined> {
  const live = (await findObject(api, { path: objectPath(resource, object.metadata) })) as KubeObject | undefined;
  return live?.metadata.uid === object.metadata.uid && holds(live) ? live : undefined;
}

/** `HermesAgent lab/mia`. */
export function describeHeld({ resource, object }: HeldObject): string {
  const { namespace = '', name } = object.metadata;
  return `${resource.kind} ${namespace}/${name}`;
}
