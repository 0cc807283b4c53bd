import { chmodSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** Writes a file so that whoever looks finds the whole of it or none. `mode` is that of a file which is replaced. */
export function writeWholeFile(path: string, text: string, mode?: number): void {
  const staging = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(staging, text);
    // Apart from the writing, which the umask of the process would have a say in.
    if (mode !== undefined) chmodSync(staging, mode);
    renameSync(staging, path);
  } catch (error) {
    rmSync(staging, { force: true });
    throw error;
  }
}
