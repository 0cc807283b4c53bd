import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Runs `hermes-gitops synth` as a user would and resolves with what it says. */
export async function renderFleet(options: {
  readonly repository: string;
  readonly inputs: string;
  readonly output: string;
}): Promise<string> {
  const cli = join(options.repository, 'build/cli/main.js');
  const { stdout } = await promisify(execFile)(process.execPath, [cli, 'synth', options.inputs, '-o', options.output], {
    cwd: options.repository,
  });
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => `   ${line}`)
    .join('\n');
}
