import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from '../exit-codes.js';

/** What a plan compares with. */
export type Against =
  | { readonly kind: 'cluster' }
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'git'; readonly ref: string };

/**
 * Reads the value of `--against`. The word `cluster` is the cluster, what is a folder is that folder, and everything else
 * has to be a commit; a folder called `cluster` is written `./cluster`, a branch called like a folder `refs/heads/…`.
 */
export function parseAgainst(value: string, cwd: string): Against {
  if (value === 'cluster') return { kind: 'cluster' };
  // Else it would be the working directory: a variable that is not set must not be a plan of that.
  if (value === '') throw new UsageError('--against is empty; name cluster, a rendered folder, or a commit');
  const path = resolve(cwd, value);
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder ? { kind: 'folder', path } : { kind: 'git', ref: value };
}
