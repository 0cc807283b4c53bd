import type { KubeManifest } from '../../lib/children/manifest.js';
import { systemMetadata } from './metadata.js';
import { BINDING_LIST_KEYS, BINDING_LISTS } from './names.js';
import type { ResolvedInstallOptions } from './options.js';

/** The two lists in the one place where the controller and the admission policy both read them. */
export function bindingLists(options: ResolvedInstallOptions): KubeManifest {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: systemMetadata(BINDING_LISTS),
    data: {
      [BINDING_LIST_KEYS.clusterRoles]: options.allowedClusterRoles.join(','),
      [BINDING_LIST_KEYS.namespaces]: options.allowedBindingNamespaces.join(','),
    },
  };
}
