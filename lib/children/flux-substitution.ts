import { FOREIGN } from '../api/identity.js';
import type { KubeManifest } from './manifest.js';

/** `manifest` with the mark that keeps Flux from replacing `${…}` in it, if it holds any. */
export function withoutFluxSubstitution(manifest: KubeManifest): KubeManifest {
  if (!mentionsVariable(manifest)) return manifest;
  const { metadata } = manifest;
  return {
    ...manifest,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [FOREIGN.fluxSubstitute]: 'disabled' } },
  };
}

function mentionsVariable(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('${');
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(mentionsVariable);
  return Object.entries(value).some(([key, item]) => key.includes('${') || mentionsVariable(item));
}
