import { randomBytes } from 'node:crypto';
import { describe, inject, it } from 'vitest';
import { KubeClient } from './client.js';
import type { SharedBed } from './global-setup.js';

export { provisionVolume, provisionVolumes } from './volumes.js';

/** `describe`, skipped where there is no control plane and nothing to compile one with. */
export function describeOnBed(name: string, body: () => void): void {
  if (inject('beds').length > 0) {
    describe(name, body);
    return;
  }
  // The runner calls the body of a skipped suite too, to list its tests, and bodies ask for the bed.
  describe(name, () => {
    it.skip('needs a control plane');
  });
}

/** The control plane that the test files of one worker share, one after the other. */
export function sharedBed(): SharedBed & { readonly client: KubeClient } {
  // Workers are numbered from 1, and a number is free again when its file is done.
  const bed = inject('beds')[Number(process.env['VITEST_POOL_ID']) - 1];
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
