import { isObject } from '../api/canonical-json.js';
import { RUN_KIND } from '../api/identity.js';
import type { KubeManifest } from '../children/manifest.js';
import { readDocuments } from '../input/documents.js';
import { runWorkloadName } from '../names.js';

/** What a run was rendered to before. A run is resolved once, so this is what it stays. */
export interface FormerRun {
  readonly spec: unknown;
  /** Absent when it is not there any more. */
  readonly workload?: FormerWorkload;
}

/** The Job or Sandbox of a run as it was rendered. */
export interface FormerWorkload {
  readonly manifest: KubeManifest;
  /** What it was written as; it stays so to the byte. */
  readonly text?: string;
}

/** A line that separates two documents; inside of a document every line of a text is indented. */
const SEPARATOR = /^---[^\S\n]*\r?\n/m;

/** Reads the file that the run `name` was rendered to; undefined when it holds no such run. */
export function readFormerRun(bytes: Uint8Array | undefined, name: string): FormerRun | undefined {
  if (bytes === undefined) return undefined;
  const parts = Buffer.from(bytes)
    .toString('utf8')
    .split(SEPARATOR)
    .flatMap((text) => {
      const value = readDocuments(Buffer.from(text), name).documents[0]?.value;
      return isObject(value) && isObject(value['metadata'])
        ? [{ text, manifest: value as unknown as KubeManifest }]
        : [];
    });
  const run = parts.find(({ manifest }) => manifest.kind === RUN_KIND && manifest.metadata.name === name);
  if (run === undefined) return undefined;
  const workload = parts.find(({ manifest }) => isWorkloadOf(manifest, name));
  return { spec: run.manifest['spec'], ...(workload && { workload }) };
}

/** Whether an object is, by kind and name, the workload of the run `name`. */
export function isWorkloadOf(
  { kind, metadata }: { readonly kind: string; readonly metadata: { readonly name: string } },
  name: string,
): boolean {
  return (kind === 'Job' || kind === 'Sandbox') && metadata.name === runWorkloadName(name);
}
