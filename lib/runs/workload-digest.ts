import { jsonDigest } from '../api/digest.js';
import { ANNOTATIONS } from '../api/identity.js';
import type { KubeManifest } from '../children/manifest.js';

/** The workload of a run with the digest by which a later synth sees that nobody has edited it. */
export function withWorkloadDigest(workload: KubeManifest): KubeManifest {
  return withAnnotations(workload, {
    ...workload.metadata.annotations,
    [ANNOTATIONS.workloadDigest]: workloadDigest(workload),
  });
}

/** The same workload with no digest of itself. */
export function withoutWorkloadDigest(workload: KubeManifest): KubeManifest {
  const others = Object.entries(workload.metadata.annotations ?? {}).filter(
    ([key]) => key !== ANNOTATIONS.workloadDigest,
  );
  return withAnnotations(workload, Object.fromEntries(others));
}

/** What a workload says, apart from its digest, as one short text; equal for the object and for its YAML read back. */
export function workloadDigest(workload: KubeManifest): string {
  return jsonDigest(withoutWorkloadDigest(workload));
}

function withAnnotations(workload: KubeManifest, annotations: Readonly<Record<string, string>>): KubeManifest {
  return { ...workload, metadata: { ...workload.metadata, annotations } };
}
