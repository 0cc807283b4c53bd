import type { ValidRun } from '../api/agent-run.js';
import { isObject } from '../api/canonical-json.js';
import { DIGEST_VERSION } from '../api/digest.js';
import { ANNOTATIONS, LABELS } from '../api/identity.js';
import { WORKLOAD_TYPES, workloadMetadata } from '../children/run/workload-metadata.js';
import type { PathSegment, Problem } from '../validation/problem.js';
import { type FormerWorkload, RESTORE_HINT } from './former-run.js';
import { workloadDigest } from './workload-digest.js';

/** A field of a workload, and what it has to be; undefined where it must not be there. */
interface Wanted {
  readonly path: readonly PathSegment[];
  readonly value: string | undefined;
}

/**
 * What of a workload that is to stay as it is was not rendered for this run. Whoever renders anew vouches for every
 * field; what is kept goes to the cluster unseen, so that it has to be what was written then. A workload without a
 * digest of itself, as former versions and the construct write it, is held to its identity only.
 */
export function keptWorkloadProblems(run: ValidRun, workload: FormerWorkload): readonly Problem[] {
  const { manifest, position } = workload;
  const title = `${manifest.kind} ${manifest.metadata.name} of run ${run.namespace}/${run.name}`;
  const problem = (path: readonly PathSegment[], what: string): Problem => ({
    severity: 'error',
    rule: 'RenderedRunChanged',
    path,
    message: `${title} ${what}`,
    hint: RESTORE_HINT,
    ...(position && { position: position(path) }),
  });
  const strange = wantedFields(run, manifest.metadata.annotations?.[ANNOTATIONS.specDigest]).filter(
    ({ path, value }) => valueAt(manifest, path) !== value,
  );
  if (strange.length > 0) {
    return strange.map(({ path, value }) =>
      problem(
        path,
        value === undefined ? 'was rendered without this' : `was rendered with ${JSON.stringify(value)} here`,
      ),
    );
  }
  const digest = valueAt(manifest, ['metadata', 'annotations', ANNOTATIONS.workloadDigest]);
  if (digest === undefined || digest === workloadDigest(manifest)) return [];
  return [problem([], `is not what was rendered: it does not match its ${ANNOTATIONS.workloadDigest}`)];
}

function wantedFields(run: ValidRun, specDigest: unknown): readonly Wanted[] {
  const { apiVersion, kind } = WORKLOAD_TYPES[run.spec.workload];
  const { namespace, labels = {} } = workloadMetadata(run);
  const ownLabels = { [LABELS.agent]: undefined, [LABELS.runAgent]: undefined, ...labels };
  return [
    { path: ['apiVersion'], value: apiVersion },
    { path: ['kind'], value: kind },
    { path: ['metadata', 'namespace'], value: namespace },
    ...Object.entries(ownLabels).map(([key, value]) => ({ path: ['metadata', 'labels', key], value })),
    // Digests of two versions cannot be compared.
    ...(isOfOtherVersion(specDigest)
      ? []
      : [{ path: ['metadata', 'annotations', ANNOTATIONS.specDigest], value: run.digest }]),
  ];
}

function isOfOtherVersion(digest: unknown): boolean {
  return typeof digest === 'string' && /^v\d+:/.test(digest) && !digest.startsWith(`${DIGEST_VERSION}:`);
}

function valueAt(value: unknown, path: readonly PathSegment[]): unknown {
  return path.reduce<unknown>((at, step) => (isObject(at) ? at[step] : undefined), value);
}
