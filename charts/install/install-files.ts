import type { Construct } from 'constructs';
import { HEADER_MARK } from '../../lib/emit/header.js';
import { kustomizations } from '../../lib/emit/kustomization.js';
import { KUSTOMIZATION } from '../../lib/emit/layout.js';
import { toYaml } from '../../lib/emit/yaml.js';
import { argocdComponent } from './components/argocd.js';
import { bindingListsComponent } from './components/binding-lists.js';
import { componentFiles } from './components/component.js';
import { fluxComponent } from './components/flux.js';
import { namespacedComponent } from './components/namespaced.js';
import { probeViaApiserverComponent } from './components/probe-via-apiserver.js';
import { InstallSet } from './install-set.js';
import { namespaceRights } from './namespace-role.js';
import { objectText } from './object-text.js';
import type { InstallOptions } from './options.js';

const COMPONENTS = [
  argocdComponent,
  bindingListsComponent,
  fluxComponent,
  namespacedComponent,
  probeViaApiserverComponent,
];

/**
 * The install set: path below its folder to text. `base` stands alone, each of `components` is put on top of it, and
 * `namespace` is for every namespace that a controller with the component `namespaced` works in.
 */
export function installFiles(scope: Construct, options: InstallOptions = {}): ReadonlyMap<string, string> {
  const { objects } = new InstallSet(scope, 'install', options);
  const base = texts([...objects].map(([path, object]) => [path, object.toJson() as object]));
  const namespace = texts(Object.entries(namespaceRights()));
  const below = (folder: string, files: ReadonlyMap<string, string>): [string, string][] =>
    [...files].map(([path, text]) => [`${folder}/${path}`, text]);
  return new Map([
    ...below('base', base),
    ...below('base', kustomizations(base.keys())),
    ...below('namespace', namespace),
    [`namespace/${KUSTOMIZATION}`, namespaceKustomization(namespace.keys())],
    ...COMPONENTS.flatMap((component) => below(`components/${component.name}`, componentFiles(component))),
  ]);
}

/** The one kustomization of ours that is meant to be given a namespace. */
function namespaceKustomization(paths: Iterable<string>): string {
  const header = `${HEADER_MARK}. Do not edit.\n# Set the namespace in the kustomization that takes this in.\n`;
  const resources = [...paths].sort();
  return header + toYaml({ apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization', resources });
}

function texts(objects: readonly (readonly [path: string, object: object])[]): ReadonlyMap<string, string> {
  return new Map(objects.map(([path, object]) => [`${path}.yaml`, objectText(object)]));
}
