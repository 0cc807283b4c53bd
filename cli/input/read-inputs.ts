import { readFileSync } from 'node:fs';
import type { FleetFile } from '../../lib/fleet/read-fleet.js';
import { IoError, reasonOf } from '../exit-codes.js';
import { findFiles } from './find-files.js';

/** What `-` is called in messages and headers. */
const STDIN_NAME = 'stdin';

/** The files that the arguments of a verb mean; `-` is the standard input. All that cannot be read is named at once. */
export function readInputs(inputs: readonly string[], cwd: string): readonly FleetFile[] {
  const { files, failures } = findFiles(
    inputs.filter((input) => input !== '-'),
    cwd,
  );
  const unread = [...failures];
  const read = (name: string, path: string | number): readonly FleetFile[] => {
    try {
      return [{ name, bytes: readFileSync(path) }];
    } catch (error) {
      unread.push(`${name}: ${reasonOf(error)}`);
      return [];
    }
  };
  const contents = files.flatMap(({ name, path }) => read(name, path));
  if (inputs.includes('-')) contents.push(...read(STDIN_NAME, 0));
  if (unread.length > 0) throw new IoError(unread.map((line) => `cannot read ${line}`).join('\n'));
  return contents;
}
