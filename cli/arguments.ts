import type { Argv } from 'yargs';
import { DEFAULT_LAYOUT, LAYOUTS } from '../lib/emit/layout.js';
import { FORMATS } from './report.js';
import type { InputOptions, SynthOptions } from './synth.js';

/** `a,b` and repeated flags alike. */
const commaSeparated = (values: readonly string[]): readonly string[] =>
  values
    .flatMap((value) => value.split(','))
    .map((value) => value.trim())
    .filter((value) => value !== '');

/** Arguments of the verbs that read agents from files. */
export function inputArguments(parser: Argv): Argv<InputOptions> {
  return (
    parser
      .positional('inputs', {
        type: 'string',
        array: true,
        demandOption: true,
        describe: 'Files, folders (read with all below them), or - for the standard input',
      })
      .option('namespace', { alias: 'n', type: 'string', describe: 'Namespace of agents that name none' })
      .option('allowed-cluster-roles', {
        type: 'string',
        array: true,
        default: [] as string[],
        coerce: commaSeparated,
        describe: 'ClusterRoles that agents may be bound to, comma-separated',
      })
      .option('allowed-binding-namespaces', {
        type: 'string',
        array: true,
        default: [] as string[],
        coerce: commaSeparated,
        describe: 'Namespaces beside its own that an agent may have bindings in, comma-separated',
      })
      .option('flux', { type: 'boolean', default: false, describe: 'Keep Flux from substituting ${…} in the output' })
      .option('format', { choices: FORMATS, default: 'text', describe: 'How problems are printed' })
      // Else `--allowed-cluster-roles a,b dir` would take the folder for a role.
      .nargs({ 'allowed-cluster-roles': 1, 'allowed-binding-namespaces': 1 }) as unknown as Argv<InputOptions>
  );
}

/** Arguments of `synth`. */
export function synthArguments(parser: Argv): Argv<SynthOptions> {
  return inputArguments(parser)
    .option('output', { alias: 'o', type: 'string', default: 'dist', describe: 'Folder to write to' })
    .option('layout', { choices: LAYOUTS, default: DEFAULT_LAYOUT, describe: 'How objects are spread over files' })
    .option('check', {
      type: 'boolean',
      default: false,
      describe: 'Write nothing; fail when the output is out of date',
    })
    .option('prune', {
      type: 'boolean',
      default: false,
      describe: 'Remove files that synth wrote and that no input renders any more',
    });
}
