import type { KubeClient, KubeManifest } from './client.js';

/** Creates a PersistentVolume for a claim and binds it, as a provisioner would. */
export async function provisionVolume(client: KubeClient, claim: KubeManifest): Promise<void> {
  const { name, namespace = 'default', uid = '' } = claim.metadata;
  const spec = claim['spec'] as {
    readonly accessModes: readonly string[];
    readonly resources: { readonly requests: { readonly storage: string } };
    readonly storageClassName?: string;
  };
  await client.apply({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: `pv-${uid}` },
    spec: {
      capacity: { storage: spec.resources.requests.storage },
      accessModes: spec.accessModes,
      persistentVolumeReclaimPolicy: 'Delete',
      storageClassName: spec.storageClassName ?? '',
      hostPath: { path: `/var/lib/bed/${uid}` },
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid },
    },
  });
}

/** Binds every claim of the cluster as it appears; returns what ends that. */
export function provisionVolumes(client: KubeClient): () => Promise<void> {
  const seen = new Set<string>();
  let isRunning = true;
  const loop = async (): Promise<void> => {
    while (isRunning) {
      const claims = await client.list('/api/v1/persistentvolumeclaims').catch(() => []);
      for (const claim of claims) {
        const { uid = '' } = claim.metadata;
        if (seen.has(uid) || (claim['status'] as { phase?: string }).phase !== 'Pending') continue;
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
