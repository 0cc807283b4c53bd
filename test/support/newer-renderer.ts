import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '..', '..');
const SOURCES = ['lib', 'cli', 'controller', 'charts', 'package.json', 'tsconfig.json'];

/** What a version of the command line to come renders in another way. */
const CHANGE = { file: 'lib/children/volumes.ts', from: "sizeLimit: '1Gi'", to: "sizeLimit: '2Gi'" } as const;

/** A copy of the command line as a later version may be: the shared memory of every pod, of agents and of runs, is larger. */
export interface NewerRenderer {
  /** Runs a verb in a folder; rejects when it fails. */
  run(args: readonly string[], cwd: string): Promise<void>;
  remove(): void;
}

/** Makes that copy below the folder for temporary files. */
export function newerRenderer(): NewerRenderer {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-newer-renderer-'));
  for (const path of SOURCES) cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const changed = join(folder, CHANGE.file);
  const source = readFileSync(changed, 'utf8');
  if (source.split(CHANGE.from).length !== 2) throw new Error(`${CHANGE.from} does not stand in ${CHANGE.file} once`);
  writeFileSync(changed, source.replace(CHANGE.from, CHANGE.to));
  const command = [join(folder, 'node_modules', 'tsx', 'dist', 'cli.mjs'), join(folder, 'cli', 'main.ts')];
  return {
    run: async (args, cwd) => {
      await promisify(execFile)(process.execPath, [...command, ...args], { cwd });
    },
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
