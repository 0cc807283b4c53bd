import { KUSTOMIZATION_HEADER } from './header.js';
import { KUSTOMIZATION } from './layout.js';
import { toYaml } from './yaml.js';

/** A kustomization for every folder above one of `paths`, each listing its files and folders. */
export function kustomizations(paths: Iterable<string>): ReadonlyMap<string, string> {
  const folders = new Map<string, Set<string>>();
  for (const path of paths) {
    const steps = path.split('/');
    steps.forEach((step, depth) => {
      const folder = steps.slice(0, depth).join('/');
      const listed = folders.get(folder) ?? new Set();
      folders.set(folder, listed.add(step));
    });
  }
  return new Map(
    [...folders].map(([folder, listed]) => [
      folder === '' ? KUSTOMIZATION : `${folder}/${KUSTOMIZATION}`,
      kustomization([...listed].sort()),
    ]),
  );
}

/**
 * The kustomization of a folder that an engine syncs and that has nothing in it any more. Without one the engine fails
 * instead of deleting what had been there.
 */
export function emptyKustomization(): string {
  return kustomization([]);
}

function kustomization(resources: readonly string[]): string {
  return (
    KUSTOMIZATION_HEADER + toYaml({ apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization', resources })
  );
}
