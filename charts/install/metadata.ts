import type { ManifestMetadata } from '../../lib/children/manifest.js';
import { INSTALL_LABELS, SYSTEM_NAMESPACE } from './names.js';

/** Metadata of a cluster-scoped object of the install set. */
export function clusterMetadata(name: string, labels: Readonly<Record<string, string>> = {}): ManifestMetadata {
  return { name, labels: { ...INSTALL_LABELS, ...labels } };
}

/** Metadata of an object in the controller's namespace. */
export function systemMetadata(name: string): ManifestMetadata {
  return { ...clusterMetadata(name), namespace: SYSTEM_NAMESPACE };
}
