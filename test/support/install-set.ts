import { App } from 'cdk8s';
import { InstallSet } from '../../charts/install/install-set.js';
import { SYSTEM_NAMESPACE } from '../../charts/install/names.js';
import type { InstallOptions } from '../../charts/install/options.js';
import { type KubeAnswer, type KubeClient, type KubeManifest, pathOf } from '../cluster/client.js';
import { waitFor } from '../cluster/wait.js';

/** The objects of the base by the path of their file. */
export function installObjects(options: InstallOptions = {}): ReadonlyMap<string, KubeManifest> {
  const { objects } = new InstallSet(new App(), 'install', options);
  return new Map([...objects].map(([path, object]) => [path, object.toJson() as KubeManifest]));
}

/** Applies the base to a cluster, and resolves with what the API server answered about each object. */
export async function applyInstallSet(
  client: KubeClient,
  options: InstallOptions = {},
): Promise<ReadonlyMap<string, KubeAnswer>> {
  const answers = new Map<string, KubeAnswer>();
  for (const [path, object] of installObjects(options)) {
    answers.set(path, await client.apply(object, { fieldManager: 'install', force: true }));
  }
  return answers;
}

/** Takes the base away again, the kinds excepted, and resolves when the namespace is gone. */
export async function removeInstallSet(client: KubeClient): Promise<void> {
  const objects = [...installObjects().values()].filter(({ kind }) => kind !== 'CustomResourceDefinition').reverse();
  for (const object of objects) await client.delete(pathOf(object));
  const namespace = `/api/v1/namespaces/${SYSTEM_NAMESPACE}`;
  await waitFor(async () => (await client.find(namespace)) === undefined, { what: 'the namespace to go' });
}
