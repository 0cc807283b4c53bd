import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder, moduleFolder } from '../binaries.js';

/** A file inside of a Go module that one of the modules under modules/ asks for. */
export interface ModuleFile {
  /** Folder below modules/. */
  readonly module: string;
  readonly goModule: string;
  readonly path: string;
}

/** Text of such a file. It is kept beside the compiled programs, so that Go is needed once. */
export async function readModuleFile({ module, goModule, path }: ModuleFile): Promise<string> {
  const folder = await cacheFolder(module);
  const cached = join(folder, basename(path));
  try {
    return await readFile(cached, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const { stdout } = await promisify(execFile)('go', ['mod', 'download', '-json', goModule], {
    cwd: moduleFolder(module),
    // The module is in the file already; nothing may be written to it.
    env: { ...process.env, GOFLAGS: '-mod=mod' },
  });
  await mkdir(folder, { recursive: true });
  const partial = `${cached}.${process.pid}`;
  await copyFile(join((JSON.parse(stdout) as { Dir: string }).Dir, path), partial);
  await rename(partial, cached);
  return readFile(cached, 'utf8');
}
