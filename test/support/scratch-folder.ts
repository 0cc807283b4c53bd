import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';

/** A folder of one test. */
export interface ScratchFolder {
  readonly path: string;
  /** Writes a file below it. */
  readonly put: (file: string, text: string) => void;
}

/** Gives every test of a file an empty folder, and a cache of the CLI that is empty too. */
export function scratchFolder(): ScratchFolder {
  let path = '';
  let cacheHome: string | undefined;
  beforeEach(() => {
    path = mkdtempSync(join(tmpdir(), 'hermes-gitops-test-'));
    cacheHome = process.env['XDG_CACHE_HOME'];
    process.env['XDG_CACHE_HOME'] = `${path}-cache`;
  });
  afterEach(() => {
    for (const folder of [path, `${path}-cache`]) rmSync(folder, { recursive: true, force: true });
    if (cacheHome === undefined) delete process.env['XDG_CACHE_HOME'];
    else process.env['XDG_CACHE_HOME'] = cacheHome;
  });
  return {
    get path() {
      return path;
    },
    put: (file, text) => {
      mkdirSync(dirname(join(path, file)), { recursive: true });
      writeFileSync(join(path, file), text);
    },
  };
}
