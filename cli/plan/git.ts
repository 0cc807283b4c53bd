import { execFileSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { TREE_INDEX } from '../../lib/emit/tree-index.js';
import type { FleetFile } from '../../lib/fleet/read-fleet.js';
import { IoError, messageOf, UsageError } from '../exit-codes.js';

const MANIFEST = /\.(ya?ml|json)$/i;
const MAX_OUTPUT = 2 ** 31 - 1;
/** Mode of a file in Git, executable or not; links and submodules have others. */
const REGULAR_FILE = '100';

interface Entry {
  /** From the root of the repository, with `/`. */
  readonly path: string;
  readonly blob: string;
}

/**
 * The manifests below some paths as they were in a commit, chosen as they would be chosen from the disk. A path that the
 * commit does not have holds no file.
 */
export function filesAtCommit(ref: string, paths: readonly string[], cwd: string): readonly FleetFile[] {
  const commit = commitOf(ref, cwd);
  const top = git(['rev-parse', '--show-toplevel'], cwd).toString('utf8').replace(/\n$/, '');
  const here = realpathSync(cwd);
  const seen = new Set<string>();
  const entries = paths.flatMap((path) => entriesBelow(commit, repositoryPath(path, here, top), top));
  const wanted = entries.filter(({ path }) => !seen.has(path) && seen.add(path));
  const contents = readBlobs(wanted, top);
  return wanted.map(({ path }, index) => {
    const name = relative(here, resolve(top, path)).split(sep).join('/');
    return { name: `${ref}:${name}`, bytes: contents[index] ?? new Uint8Array() };
  });
}

function commitOf(ref: string, cwd: string): string {
  try {
    const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`];
    return execFileSync('git', args, { cwd, stdio: ['ignore', 'pipe', 'ignore'] })
      .toString('utf8')
      .trim();
  } catch (cause) {
    if ((cause as { readonly code?: string }).code === 'ENOENT') throw new IoError('git is not installed', { cause });
    const hint = 'in a shallow clone, fetch it first';
    throw new IoError(`--against ${ref}: neither a folder nor a commit of this repository (${hint})`, { cause });
  }
}

function repositoryPath(path: string, here: string, top: string): string {
  if (path === '-') throw new UsageError('the standard input has no former state in Git; use --output with --against');
  const way = relative(realpathSync(top), resolve(here, path));
  if (isAbsolute(way) || way.split(sep)[0] === '..') throw new UsageError(`${path} is outside of the Git repository`);
  return way.split(sep).join('/');
}

function entriesBelow(commit: string, root: string, top: string): readonly Entry[] {
  const args = ['ls-tree', '-r', '-z', '--full-tree', commit, ...(root === '' ? [] : ['--', root])];
  const all = git(args, top)
    .toString('utf8')
    .split('\0')
    .flatMap((line): Entry[] => {
      const [meta = '', path = ''] = line.split('\t');
      return meta.startsWith(REGULAR_FILE) ? [{ path, blob: meta.split(' ')[2] ?? '' }] : [];
    });
  const trees = all
    .filter(({ path }) => path.endsWith(`/${TREE_INDEX}`))
    .map(({ path }) => path.slice(0, -TREE_INDEX.length))
    // The folder that was asked for is read even when synth wrote it.
    .filter((folder) => folder !== `${root}/`);
  return all.filter(({ path }) => {
    if (path === root) return true;
    const below = root === '' ? path : path.slice(root.length + 1);
    const isHidden = below.split('/').some((step) => step.startsWith('.'));
    return MANIFEST.test(path) && !isHidden && !trees.some((folder) => path.startsWith(folder));
  });
}

/** All contents by one process. */
function readBlobs(entries: readonly Entry[], top: string): readonly Uint8Array[] {
  if (entries.length === 0) return [];
  const output = git(['cat-file', '--batch'], top, entries.map(({ blob }) => `${blob}\n`).join(''));
  let offset = 0;
  return entries.map(() => {
    const lineEnd = output.indexOf('\n', offset);
    const size = Number(output.subarray(offset, lineEnd).toString('utf8').split(' ')[2]);
    offset = lineEnd + 1 + size + 1;
    return output.subarray(lineEnd + 1, lineEnd + 1 + size);
  });
}

function git(args: readonly string[], cwd: string, input = ''): Buffer {
  try {
    return execFileSync('git', args, { cwd, input, maxBuffer: MAX_OUTPUT, stdio: ['pipe', 'pipe', 'pipe'] });
  } catch (cause) {
    const { code, stderr } = cause as { readonly code?: string; readonly stderr?: Buffer };
    const reason = code === 'ENOENT' ? 'git is not installed' : stderr?.toString('utf8').trim().split('\n')[0];
    throw new IoError(`git ${args[0] ?? ''}: ${reason ?? messageOf(cause)}`, { cause });
  }
}
