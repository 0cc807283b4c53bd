import type { Construct } from 'constructs';
import { kustomizations } from '../../lib/emit/kustomization.js';
import { argocdComponent } from './components/argocd.js';
import { componentFiles } from './components/component.js';
import { fluxComponent } from './components/flux.js';
import { probeViaApiserverComponent } from './components/probe-via-apiserver.js';
import { InstallSet } from './install-set.js';
import { objectText } from './object-text.js';
import type { InstallOptions } from './options.js';

const COMPONENTS = [argocdComponent, fluxComponent, probeViaApiserverComponent];

/** The install set: path below its folder to text. `base` stands alone, each of `components` is put on top of it. */
export function installFiles(scope: Construct, options: InstallOptions = {}): ReadonlyMap<string, string> {
  const { objects } = new InstallSet(scope, 'install', options);
  const base = new Map([...objects].map(([path, object]) => [`${path}.yaml`, objectText(object.toJson() as object)]));
  const below = (folder: string, files: ReadonlyMap<string, string>): [string, string][] =>
    [...files].map(([path, text]) => [`${folder}/${path}`, text]);
  return new Map([
    ...below('base', base),
    ...below('base', kustomizations(base.keys())),
    ...COMPONENTS.flatMap((component) => below(`components/${component.name}`, componentFiles(component))),
  ]);
}
