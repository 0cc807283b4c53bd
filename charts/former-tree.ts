import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Reads what was rendered to a folder below `root` before: from the disk, else from the last commit, because cdk8s may
 * have emptied the folder by now.
 */
export function formerTree(root: string, folder: string): (path: string) => Uint8Array | undefined {
  const isThere = existsSync(join(root, folder));
  return (path) => {
    const file = join(root, folder, path);
    if (existsSync(file)) return readFileSync(file);
    return isThere ? undefined : atLastCommit(root, `${folder}/${path}`);
  };
}

function atLastCommit(root: string, path: string): Uint8Array | undefined {
  try {
    return execFileSync('git', ['show', `HEAD:./${path}`], { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    // No repository, no commit, or no such file in it: the run is new.
    return undefined;
  }
}
