import { parse } from 'yaml';
import { type KubeClient, type KubeManifest } from '../client.js';
import { waitFor } from '../wait.js';

/** Installs a CustomResourceDefinition and waits until its objects can be listed. */
export async function installKind(client: KubeClient, crd: string | KubeManifest): Promise<void> {
  const manifest = typeof crd === 'string' ? (parse(crd) as KubeManifest) : crd;
  await client.apply(manifest, { force: true });
  const { group, names, versions } = manifest['spec'] as {
    group: string;
    names: { plural: string };
    versions: { name: string; served: boolean }[];
  };
  const served = versions.find((version) => version.served)?.name ?? '';
  await waitFor(() => client.list(`/apis/${group}/${served}/${names.plural}`), {
    what: `${names.plural} to be served`,
  });
}
