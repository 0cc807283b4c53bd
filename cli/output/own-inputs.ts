import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { TREE_INDEX } from '../../lib/emit/tree-index.js';
import { UsageError } from '../exit-codes.js';

/**
 * Refuses to write where the inputs are: the next synth would read what this one wrote. An output below an input folder
 * is well, because a rendered tree is never taken for input.
 */
export function refuseOwnInputs(inputs: readonly string[], out: string, cwd: string): void {
  for (const input of inputs) {
    if (input !== '-' && contains(out, resolve(cwd, input))) {
      throw new UsageError(`the input ${input} is in the output folder; write to another one with -o`);
    }
  }
}

/** Whether an absolute path is a rendered tree, or leads to a file or folder in one. */
export function isInRenderedTree(path: string): boolean {
  const place = real(path);
  const above = dirname(place);
  return existsSync(join(place, TREE_INDEX)) || (above !== place && isInRenderedTree(above));
}

function contains(folder: string, path: string): boolean {
  return relative(real(folder), real(path)).split(sep)[0] !== '..';
}

function real(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}
