import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { KUSTOMIZATION } from '../../lib/emit/layout.js';
import { TREE_INDEX } from '../../lib/emit/tree-index.js';
import { isAlive } from '../processes.js';
import type { TreePlan } from './tree-plan.js';

/**
 * Carries out a plan so that whoever looks, and whatever happens to this process, finds the old tree or the new one.
 *
 * The new tree is built whole beside the old one, with hard links to what did not change, and takes its place by
 * renaming. Where that is not possible, because people keep other things in the folder or stand in it, or because its
 * place is not ours to write to, each file is replaced by renaming: manifests first, then the lists that name them, the
 * index last. Run again, synth finishes what was cut off.
 */
export function writeTree(out: string, plan: TreePlan): void {
  if (plan.changed.length === 0 && plan.removed.length === 0) return;
  const target = existsSync(out) ? realpathSync(out) : out;
  mkdirSync(dirname(target), { recursive: true });
  const swap = canSwap(target, plan);
  // Inside of the folder if need be: beside a mount point begins another file system, which nothing is renamed across.
  const staging = join(swap ? dirname(target) : target, temporary(target, 'new'));
  try {
    // Not recursive: where the file system refuses a folder, Node would try to make its parents for ever.
    mkdirSync(staging);
    (swap ? swapTree : replaceFiles)(target, staging, plan);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** Puts right what a killed process left beside `out`: a tree that had been moved away, and half-built ones. */
export function recoverTree(out: string): void {
  const target = existsSync(out) ? realpathSync(out) : out;
  const parent = dirname(target);
  if (!existsSync(parent)) return;
  const remains = readdirSync(parent).filter((entry) => ownerOf(entry, target) !== undefined);
  for (const kind of ['new', 'old'] as const) {
    // A finished new tree is only ever missing from its place for the moment between two renames.
    const moved = remains.find((entry) => entry.startsWith(`${prefix(target)}old-`));
    const candidate = remains.find((entry) => entry.startsWith(`${prefix(target)}${kind}-`));
    if (moved !== undefined && candidate !== undefined && !existsSync(target)) {
      renameSync(join(parent, candidate), target);
    }
  }
  removeRemains(parent, target);
  if (existsSync(target) && statSync(target).isDirectory()) removeRemains(target, target);
}

function removeRemains(folder: string, target: string): void {
  for (const entry of readdirSync(folder)) {
    const owner = ownerOf(entry, target);
    if (owner !== undefined && isOver(owner)) rmSync(join(folder, entry), { recursive: true, force: true });
  }
}

function prefix(target: string): string {
  return `.${basename(target)}.hermes-gitops-`;
}

function temporary(target: string, kind: 'new' | 'old'): string {
  return `${prefix(target)}${kind}-${process.pid}`;
}

/** This process has not begun yet when it clears up. */
function isOver(owner: number): boolean {
  return owner === process.pid || !isAlive(owner);
}

/** Process that an entry beside `target` belongs to. */
function ownerOf(entry: string, target: string): number | undefined {
  if (!entry.startsWith(prefix(target))) return undefined;
  const match = /^(?:new|old)-(\d+)$/.exec(entry.slice(prefix(target).length));
  return match?.[1] === undefined ? undefined : Number(match[1]);
}

/**
 * Whether the folder may be replaced as a whole: nobody stands in it, nothing else is in it, it is no mount point, and
 * the folder above it is writable.
 */
function canSwap(target: string, plan: TreePlan): boolean {
  if (!existsSync(target)) return true;
  if (`${process.cwd()}${sep}`.startsWith(`${target}${sep}`)) return false;
  if (!isWritable(dirname(target))) return false;
  if (statSync(target).dev !== statSync(dirname(target)).dev) return false;
  const known = new Set([...plan.files.keys(), ...plan.removed, TREE_INDEX]);
  return readdirSync(target, { recursive: true, withFileTypes: true }).every(
    (entry) => entry.isDirectory() || known.has(relativeTo(target, join(entry.parentPath, entry.name))),
  );
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function relativeTo(target: string, path: string): string {
  return path
    .slice(target.length + 1)
    .split(sep)
    .join('/');
}

function swapTree(target: string, staging: string, plan: TreePlan): void {
  const changed = new Set(plan.changed);
  const made = new Set<string>();
  for (const [path, content] of plan.files) {
    const place = join(staging, path);
    makeFolder(dirname(place), made);
    if (changed.has(path)) writeFileSync(place, content);
    else linkOrCopy(join(target, path), place);
  }
  if (!existsSync(target)) {
    renameSync(staging, target);
    return;
  }
  chmodSync(staging, statSync(target).mode & 0o7777);
  const old = join(dirname(target), temporary(target, 'old'));
  renameSync(target, old);
  try {
    renameSync(staging, target);
  } catch (error) {
    renameSync(old, target);
    throw error;
  }
  rmSync(old, { recursive: true, force: true });
}

function makeFolder(folder: string, made: Set<string>): void {
  if (made.has(folder)) return;
  mkdirSync(folder, { recursive: true });
  made.add(folder);
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}

function replaceFiles(target: string, staging: string, plan: TreePlan): void {
  const made = new Set<string>();
  plan.changed.forEach((path, index) => {
    writeFileSync(join(staging, String(index)), plan.files.get(path) ?? '');
  });
  const order = plan.changed.map((path, index) => ({ path, index })).sort((a, b) => rank(a.path) - rank(b.path));
  for (const { path, index } of order) {
    makeFolder(dirname(join(target, path)), made);
    renameSync(join(staging, String(index)), join(target, path));
  }
  for (const path of plan.removed) {
    rmSync(join(target, path), { force: true });
    removeEmptyFolders(target, dirname(path));
  }
}

/** What is named by others comes before them. */
function rank(path: string): number {
  if (path === TREE_INDEX) return Number.MAX_SAFE_INTEGER;
  return basename(path) === KUSTOMIZATION ? 1000 - path.split('/').length : 0;
}

function removeEmptyFolders(target: string, folder: string): void {
  for (let path = folder; path !== '.'; path = dirname(path)) {
    try {
      rmdirSync(join(target, path));
    } catch {
      return;
    }
  }
}
