import { KUSTOMIZATION_HEADER } from '../../../lib/emit/header.js';
import { KUSTOMIZATION } from '../../../lib/emit/layout.js';
import { toYaml } from '../../../lib/emit/yaml.js';
import { objectText } from '../object-text.js';

/** A kustomize component: objects that it adds, and patches to objects that are there. */
export interface Component {
  readonly name: string;
  /** By file name without the ending. */
  readonly resources?: Readonly<Record<string, object>>;
  readonly patches?: readonly ComponentPatch[];
  readonly replacements?: readonly Replacement[];
}

/** Texts that are taken over from one field to others, in the spelling of kustomize. */
export interface Replacement {
  readonly source: { readonly kind: string; readonly name: string; readonly fieldPath: string };
  readonly targets: readonly {
    readonly select: { readonly kind: string; readonly name: string };
    readonly fieldPaths: readonly string[];
    readonly options?: { readonly delimiter: string; readonly index: number } | { readonly create: true };
  }[];
}

/** A file with a patch. Without a target it is for the object that it names. */
export interface ComponentPatch {
  readonly file: string;
  readonly patch: object;
  readonly target?: { readonly kind: string; readonly name: string; readonly namespace?: string };
}

/** Files of a component by their path below its folder. */
export function componentFiles({
  resources = {},
  patches = [],
  replacements = [],
}: Component): ReadonlyMap<string, string> {
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1alpha1',
    kind: 'Component',
    resources: Object.keys(resources).map((name) => `${name}.yaml`),
    patches: patches.map(({ file, target }) => ({ path: `${file}.yaml`, ...(target && { target }) })),
    replacements,
  };
  const isFilled = ([, value]: [string, unknown]): boolean => !Array.isArray(value) || value.length > 0;
  return new Map([
    [KUSTOMIZATION, KUSTOMIZATION_HEADER + toYaml(Object.fromEntries(Object.entries(kustomization).filter(isFilled)))],
    ...Object.entries(resources).map(([name, object]) => [`${name}.yaml`, objectText(object)] as const),
    ...patches.map(({ file, patch }) => [`${file}.yaml`, objectText(patch)] as const),
  ]);
}
