import { realpathSync, rmSync, statSync } from 'node:fs';
import { IoError, reasonOf } from '../exit-codes.js';
import type { FoundFile } from '../input/find-files.js';
import { writeWholeFile } from '../output/write-file.js';

/**
 * Gives an input file another content at once, or removes it. A link stays a link to the file that is replaced, which
 * keeps its mode; a link to a removed file goes with it, because the next verb could not read it.
 */
export function replaceFile({ path, name }: FoundFile, text: string | undefined): void {
  try {
    const real = realpathSync(path);
    if (text === undefined) {
      rmSync(real);
      rmSync(path, { force: true });
      return;
    }
    writeWholeFile(real, text, statSync(real).mode);
  } catch (error) {
    throw new IoError(`cannot write ${name}: ${reasonOf(error)}`, { cause: error });
  }
}
