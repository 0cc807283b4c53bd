import { lstatSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HEADER_MARK } from '../../lib/emit/header.js';
import { emptyKustomization } from '../../lib/emit/kustomization.js';
import { AGENTS_FOLDER, KUSTOMIZATION, RUNS_FOLDER } from '../../lib/emit/layout.js';
import { readTreeIndex, treeIndex, TREE_INDEX } from '../../lib/emit/tree-index.js';

/** Folders of a namespace that engines are pointed at. */
const SYNCED_FOLDERS: readonly string[] = [AGENTS_FOLDER, RUNS_FOLDER];

/** What has to happen to an output folder for it to hold a rendered tree. */
export interface TreePlan {
  /** All that the tree consists of afterwards, files that are left over included. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Paths whose content is new or another. */
  readonly changed: readonly string[];
  /** Paths that synth wrote once and that no input renders any more; removed. */
  readonly removed: readonly string[];
  /** The same, left where they are. */
  readonly leftovers: readonly string[];
  /** Paths that are in the way and that synth did not write. */
  readonly foreign: readonly string[];
  readonly unchanged: number;
}

/** Compares `rendered` with what is below `out`. Writes nothing. */
export function planTree(out: string, rendered: ReadonlyMap<string, Uint8Array>, prune: boolean): TreePlan {
  const blocked = notFolders(out, rendered.keys());
  if (blocked.length > 0) {
    return {
      files: rendered,
      changed: [...rendered.keys()],
      removed: [],
      leftovers: [],
      foreign: blocked,
      unchanged: 0,
    };
  }
  const former = formerFiles(out).filter((path) => !rendered.has(path) && notFolders(out, [path]).length === 0);
  const stale = former.filter((path) => isOurs(readIfFile(join(out, path))));
  const left = prune ? [] : stale;
  const emptied = stale.filter((path) => isEmptied(path, left));
  const leftovers = left.filter((path) => !emptied.includes(path));
  const files = withKept(rendered, [
    ...leftovers.map((path) => [path, readFileSync(join(out, path))] as const),
    ...emptied.map((path) => [path, Buffer.from(emptyKustomization())] as const),
  ]);
  const changed: string[] = [];
  const foreign: string[] = [];
  for (const [path, content] of files) {
    const present = readIfFile(join(out, path));
    if (present instanceof Uint8Array && Buffer.compare(present, content) === 0) continue;
    changed.push(path);
    if (present !== undefined && path !== TREE_INDEX && !isOurs(present)) foreign.push(path);
  }
  return {
    files,
    changed,
    removed: prune ? stale.filter((path) => !emptied.includes(path)) : [],
    leftovers,
    foreign,
    unchanged: files.size - changed.length,
  };
}

/**
 * Whether a path that is not rendered any more lists a folder that an engine syncs by itself, in which nothing else is
 * left. It stays as an empty list.
 */
function isEmptied(path: string, left: readonly string[]): boolean {
  const [, unit = '', file, ...deeper] = path.split('/');
  if (file !== KUSTOMIZATION || deeper.length > 0 || !SYNCED_FOLDERS.includes(unit)) return false;
  return !left.some((other) => other !== path && other.startsWith(`${dirname(path)}/`));
}

/** The tree with what stays in it although nothing renders it any more. It stays in the index, so that it is known. */
function withKept(
  rendered: ReadonlyMap<string, Uint8Array>,
  kept: readonly (readonly [string, Uint8Array])[],
): ReadonlyMap<string, Uint8Array> {
  if (kept.length === 0) return rendered;
  const files = new Map([...rendered, ...kept]);
  const listed = [...files.keys()].filter((path) => path !== TREE_INDEX);
  return files.set(TREE_INDEX, Buffer.from(treeIndex(listed)));
}

function formerFiles(out: string): readonly string[] {
  const index = readIfFile(join(out, TREE_INDEX));
  const paths = index instanceof Uint8Array ? readTreeIndex(Buffer.from(index).toString('utf8')) : undefined;
  return (paths ?? []).filter((path) => path !== TREE_INDEX);
}

/** Content of a regular file; 'other' for a link or a folder; undefined for nothing. */
function readIfFile(path: string): Uint8Array | 'other' | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  return stats.isFile() ? readFileSync(path) : 'other';
}

/** Reads what is at a path below `out`, so that runs stay as they were rendered. */
export function formerFile(out: string): (path: string) => Uint8Array | undefined {
  return (path) => {
    const content = notFolders(out, [path]).length > 0 ? undefined : readIfFile(join(out, path));
    return content instanceof Uint8Array ? content : undefined;
  };
}

/** Text of a regular file, empty when there is none. */
export function presentText(path: string): string {
  const content = readIfFile(path);
  return content instanceof Uint8Array ? Buffer.from(content).toString('utf8') : '';
}

function isOurs(content: Uint8Array | 'other' | undefined): boolean {
  if (!(content instanceof Uint8Array)) return false;
  return Buffer.from(content.subarray(0, HEADER_MARK.length)).toString('utf8') === HEADER_MARK;
}

/** What should be a folder and is not: a link would lead the output to another place. */
function notFolders(out: string, paths: Iterable<string>): string[] {
  const folders = new Set<string>();
  for (const path of paths) {
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) folders.add(folder);
  }
  return [...folders]
    .filter((folder) => lstatSync(join(out, folder), { throwIfNoEntry: false })?.isDirectory() === false)
    .sort();
}
