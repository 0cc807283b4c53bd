import { type Dirent, existsSync, readdirSync, realpathSync, statSync, type Stats } from 'node:fs';
import { basename, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { TREE_INDEX } from '../../lib/emit/tree-index.js';
import { reasonOf } from '../exit-codes.js';

/** A file to read. */
export interface FoundFile {
  /** Where it is. */
  readonly path: string;
  /** What it is called in messages and in the header of what it renders to. */
  readonly name: string;
}

/** The files below some inputs, and what could not be looked into. */
export interface FoundFiles {
  readonly files: readonly FoundFile[];
  readonly failures: readonly string[];
}

const MANIFEST = /\.(ya?ml|json)$/i;

/**
 * The files that `inputs` mean: files as they are, folders with every manifest below them in the order of their names.
 * Hidden entries are skipped, each file is read once however many ways lead to it, and a folder that synth wrote is
 * never taken for input, unless it is named itself.
 */
export function findFiles(inputs: readonly string[], cwd: string): FoundFiles {
  const files: FoundFile[] = [];
  const failures: string[] = [];
  const seen = new Set<string>();
  const take = (path: string, real: string): void => {
    if (!seen.has(real)) files.push({ path, name: displayName(path, inputs, cwd) });
    seen.add(real);
  };
  const visit = (path: string, depth: number): void => {
    try {
      const real = realpathSync(path);
      const stats = statSync(real);
      if (seen.has(real) || !isWanted(path, stats, depth)) return;
      if (!stats.isDirectory()) {
        take(path, real);
        return;
      }
      seen.add(real);
      for (const entry of entriesOf(path)) {
        const below = join(path, entry.name);
        // The folder tells a file from a link: to ask for each file again takes longer than to read it.
        if (!entry.isFile()) visit(below, depth + 1);
        else if (MANIFEST.test(entry.name)) take(below, join(real, entry.name));
      }
    } catch (error) {
      failures.push(`${displayName(path, inputs, cwd)}: ${reasonOf(error)}`);
    }
  };
  for (const input of inputs) visit(resolve(cwd, input), 0);
  return { files, failures };
}

/** What is in a folder and not hidden, in the order of names. */
function entriesOf(folder: string): readonly Dirent[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.'))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function isWanted(path: string, stats: Stats, depth: number): boolean {
  if (depth === 0) return true;
  return stats.isDirectory() ? !existsSync(join(path, TREE_INDEX)) : MANIFEST.test(path) && stats.isFile();
}

/**
 * A name that is the same on every machine: relative to the working directory, or, for what lies outside of it,
 * relative to the folder that holds the input.
 */
function displayName(path: string, inputs: readonly string[], cwd: string): string {
  const inside = below(cwd, path);
  if (inside !== undefined) return inside;
  const root = inputs
    .map((input) => resolve(cwd, input))
    .find((input) => input === path || below(input, path) !== undefined);
  return root === undefined ? basename(path) : (below(join(root, '..'), path) ?? basename(path));
}

function below(folder: string, path: string): string | undefined {
  const way = relative(folder, path);
  return way === '' || isAbsolute(way) || way.split(sep)[0] === '..' ? undefined : way.split(sep).join('/');
}
