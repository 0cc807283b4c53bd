import type { KubeClient, KubeManifest } from './client.js';

/**
 * Creates a PersistentVolume for a claim and binds it, as a provisioner would. The claim may be one that is yet to be
 * created: the volume waits for it.
 */
export async function provisionVolume(client: KubeClient, claim: KubeManifest): Promise<void> {
  const { name, namespace = 'default', uid } = claim.metadata;
  const id = uid ?? `${namespace}-${name}`;
  const spec = claim['spec'] as {
    readonly accessModes: readonly string[];
    readonly resources: { readonly requests: { readonly storage: string } };
    readonly storageClassName?: string;
  };
  await client.apply({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: `pv-${id}` },
    spec: {
      capacity: { storage: spec.resources.requests.storage },
      accessModes: spec.accessModes,
      persistentVolumeReclaimPolicy: 'Delete',
      storageClassName: spec.storageClassName ?? '',
      hostPath: { path: `/var/lib/bed/${id}` },
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, ...(uid !== undefined && { uid }) },
    },
  });
}

/** What the scheduler writes on a claim whose class waits for the first pod. */
const SELECTED_NODE = 'volume.kubernetes.io/selected-node';

/** Binds every claim of the cluster as it appears, or as its class says; returns what ends that. */
export function provisionVolumes(client: KubeClient): () => Promise<void> {
  const seen = new Set<string>();
  let isRunning = true;
  const loop = async (): Promise<void> => {
    while (isRunning) {
      const claims = await client.list('/api/v1/persistentvolumeclaims').catch(() => []);
      const waiting = await waitingClasses(client).catch(() => new Set<string>());
      for (const claim of claims) {
        const { uid = '', annotations = {} } = claim.metadata;
        if (seen.has(uid) || (claim['status'] as { phase?: string }).phase !== 'Pending') continue;
        const { storageClassName = '' } = claim['spec'] as { storageClassName?: string };
        if (waiting.has(storageClassName) && annotations[SELECTED_NODE] === undefined) continue;
        await provisionVolume(client, claim).then(
          () => seen.add(uid),
          () => undefined,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  };
  const done = loop();
  return async () => {
    isRunning = false;
    await done;
  };
}

/** Names of the classes whose volumes are made when a pod needs them. */
async function waitingClasses(client: KubeClient): Promise<ReadonlySet<string>> {
  const classes = await client.list('/apis/storage.k8s.io/v1/storageclasses');
  const waiting = classes.filter((each) => each['volumeBindingMode'] === 'WaitForFirstConsumer');
  return new Set(waiting.map(({ metadata }) => metadata.name));
}
