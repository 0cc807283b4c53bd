import { isObject } from '../api/canonical-json.js';
import { RUN_KIND } from '../api/identity.js';
import type { KubeManifest } from '../children/manifest.js';
import { readDocuments } from '../input/documents.js';
import { runWorkloadName } from '../names.js';
import type { PathSegment, Problem, SourcePosition } from '../validation/problem.js';

/** What a run was rendered to before. A run is resolved once, so this is what it stays. */
export interface FormerRun {
  readonly spec: unknown;
  /** Absent when it is not there any more. */
  readonly workload?: FormerWorkload;
  /** Why this is not all that was rendered for the run. Each has its position. */
  readonly problems: readonly Problem[];
  /**
   * It is not from a file that synth wrote and nobody may edit, so that it is taken as it is found.
   * @default false
   */
  readonly isFound?: boolean;
}

/** The Job or Sandbox of a run as it was rendered. */
export interface FormerWorkload {
  readonly manifest: KubeManifest;
  /** What it was written as; it stays so to the byte. */
  readonly text?: string;
  /** Where a field of it stands, when it was read from a file. */
  readonly position?: (path: readonly PathSegment[]) => SourcePosition;
}

/** Which run it is. */
interface RunKey {
  readonly namespace: string;
  readonly name: string;
}

/** What to do about a run whose rendered file was changed. */
export const RESTORE_HINT = 'restore the file from Git, or use a new name for a new run';

/** A line that separates two documents; inside of a document every line of a text is indented. */
const SEPARATOR = /^---[^\S\n]*\r?\n/m;

/** A stretch of a file between two separators. */
interface Part {
  readonly text: string;
  readonly manifest?: KubeManifest;
  readonly problems: readonly Problem[];
  readonly position: (path: readonly PathSegment[]) => SourcePosition;
}

/** Reads the file that a run was rendered to. `file` is what messages call it. */
export function readFormerRun(bytes: Uint8Array, key: RunKey, file: string): FormerRun {
  const parts = partsOf(Buffer.from(bytes).toString('utf8'), file);
  const title = `run ${key.namespace}/${key.name}`;
  const unread = parts.flatMap(({ problems }) => problems);
  if (unread.length > 0) {
    const said = unread.map((problem) => ({ ...problem, message: `${title} cannot be read: ${problem.message}` }));
    return { spec: undefined, problems: said.map((problem) => ({ ...problem, hint: RESTORE_HINT })) };
  }
  const run = parts.find(({ manifest }) => manifest?.kind === RUN_KIND && manifest.metadata.name === key.name);
  const workload = parts.find(({ manifest }) => manifest !== undefined && isWorkloadOf(manifest, key.name));
  const missing = [
    ...(run === undefined ? [`${RUN_KIND} ${key.name}`] : []),
    ...(workload === undefined ? [`workload ${runWorkloadName(key.name)}`] : []),
  ];
  const position = run?.position([]) ?? workload?.position([]) ?? { file, line: 1, column: 1 };
  return {
    spec: run?.manifest?.['spec'],
    ...(workload?.manifest && {
      workload: { manifest: workload.manifest, text: workload.text, position: workload.position },
    }),
    problems: missing.map((what) => {
      const message = `${title} was rendered, and its ${what} is missing`;
      return { severity: 'error', rule: 'RenderedRunChanged', path: [], message, hint: RESTORE_HINT, position };
    }),
  };
}

/** The parts one by one, each with its own text; lines count from the start of the file. */
function partsOf(whole: string, file: string): readonly Part[] {
  let before = 0;
  return whole.split(SEPARATOR).map((text) => {
    const shift = before;
    before += text.split('\n').length;
    const shifted = (position: SourcePosition): SourcePosition => ({ ...position, line: position.line + shift });
    const { documents, problems } = readDocuments(Buffer.from(text), file);
    const document = documents[0];
    const value = document?.value;
    return {
      text,
      ...(isObject(value) && isObject(value['metadata']) && { manifest: value as unknown as KubeManifest }),
      problems: [...problems, ...documents.flatMap((found) => found.problems)].map((problem) => ({
        ...problem,
        ...(problem.position && { position: shifted(problem.position) }),
      })),
      position: (path) => shifted(document?.position(path, 'value') ?? { file, line: 1, column: 1 }),
    };
  });
}

/** Whether an object is, by kind and name, the workload of the run `name`. */
export function isWorkloadOf(
  { kind, metadata }: { readonly kind: string; readonly metadata: { readonly name: string } },
  name: string,
): boolean {
  return (kind === 'Job' || kind === 'Sandbox') && metadata.name === runWorkloadName(name);
}
