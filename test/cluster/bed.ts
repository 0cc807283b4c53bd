import { randomBytes } from 'node:crypto';
import { describe, inject } from 'vitest';
import { KubeClient, type KubeManifest } from './client.js';
import type { SharedBed } from './global-setup.js';

/** `describe`, skipped where there is no control plane and nothing to compile one with. */
export const describeOnBed = describe.runIf(inject('bed') !== undefined);

/** The control plane that all integration tests share. */
export function sharedBed(): SharedBed & { readonly client: KubeClient } {
  const bed = inject('bed');
  if (bed === undefined) throw new Error('there is no control plane: use describeOnBed');
  return { ...bed, client: new KubeClient({ server: bed.server, ca: bed.ca, token: bed.adminToken }) };
}

/** Creates a namespace of a fresh name, so that tests do not meet. */
export async function createNamespace(
  client: KubeClient,
  prefix: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<string> {
  const name = `${prefix}-${randomBytes(4).toString('hex')}`;
  await client.create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
  return name;
}

/** A token of a ServiceAccount, as its pods would have it. */
export async function serviceAccountToken(client: KubeClient, namespace: string, name: string): Promise<string> {
  const answer = await client.create(`/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: 3600 },
  });
  return (answer['status'] as { token: string }).token;
}

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
