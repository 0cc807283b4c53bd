import type { Argv } from 'yargs';
import { DEFAULT_CONTROLLER_NAMESPACE } from '../lib/api/probe-access.js';
import { DEFAULT_LAYOUT, type Layout, LAYOUTS } from '../lib/emit/layout.js';
import { dnsLabelTrouble } from '../lib/validation/name-syntax.js';
import type { ConvertOptions } from './convert.js';
import { UsageError } from './exit-codes.js';
import { lastOf } from './flags.js';
import { PLAN_FORMATS, type PlanOptions } from './plan/options.js';
import { type Format, FORMATS } from './report.js';
import type { InputOptions } from './input/options.js';
import type { SynthOptions } from './synth.js';
import type { ValidateOptions } from './validate.js';

/** `a,b` and repeated flags alike. */
const commaSeparated = (values: readonly string[]): readonly string[] =>
  values
    .flatMap((value) => value.split(','))
    .map((value) => value.trim())
    .filter((value) => value !== '');

const namespaceName = (value: string | readonly string[]): string => {
  const name = lastOf(value);
  const trouble = name === '' ? undefined : dnsLabelTrouble(name);
  if (trouble !== undefined) throw new UsageError(`--controller-namespace ${trouble}`);
  return name;
};

/** Stands for `-` while yargs reads the command line, because yargs drops a `-` among several positionals. */
const STDIN = '<stdin>';

/** The command line with every `-` in a form that yargs keeps. */
export function keepStdin(argv: readonly string[]): string[] {
  return argv.map((argument) => (argument === '-' ? STDIN : argument));
}

/** What {@link keepStdin} put in the place of `-`, as it was. */
export const restoreStdin = (values: readonly string[]): readonly string[] =>
  values.map((value) => (value === STDIN ? '-' : value));

/** Arguments of the verbs that read agents from files. */
export function inputArguments(parser: Argv): Argv<InputOptions> {
  return fleetArguments(parser, FORMATS);
}

function fleetArguments(parser: Argv, formats: readonly Format[]): Argv<InputOptions> {
  return (
    parser
      .positional('inputs', {
        type: 'string',
        array: true,
        demandOption: true,
        coerce: restoreStdin,
        describe: 'Files, folders (read with all below them), or - for the standard input',
      })
      .option('namespace', {
        alias: 'n',
        type: 'string',
        requiresArg: true,
        coerce: lastOf<string>,
        describe: 'Namespace of agents that name none',
      })
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
      .option('controller-namespace', {
        type: 'string',
        default: DEFAULT_CONTROLLER_NAMESPACE,
        requiresArg: true,
        coerce: namespaceName,
        describe: 'Namespace that network policies let reach the dashboard; empty for none',
      })
      .option('format', {
        choices: formats,
        default: 'text',
        coerce: lastOf<Format>,
        describe: 'How problems are printed',
      })
      // Else `--allowed-cluster-roles a,b dir` would take the folder for a role.
      .nargs({ 'allowed-cluster-roles': 1, 'allowed-binding-namespaces': 1 }) as unknown as Argv<InputOptions>
  );
}

/** The folder of `synth`, for verbs that have to know what is there. */
const OUTPUT_FLAG = { alias: 'o', type: 'string', default: 'dist', requiresArg: true, coerce: lastOf<string> } as const;

/** Arguments of `validate`. */
export function validateArguments(parser: Argv): Argv<ValidateOptions> {
  const describe = 'Folder that synth writes to: a run that is there stays as it is and needs no agent';
  return inputArguments(parser).option('output', { ...OUTPUT_FLAG, describe });
}

/** Arguments of `synth`. */
export function synthArguments(parser: Argv): Argv<SynthOptions> {
  return inputArguments(parser)
    .option('output', { ...OUTPUT_FLAG, describe: 'Folder to write to' })
    .option('layout', {
      choices: LAYOUTS,
      default: DEFAULT_LAYOUT,
      coerce: lastOf<Layout>,
      describe: 'How objects are spread over files',
    })
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

/** Flags of every verb that talks to a cluster. */
export const CONNECTION_FLAGS = {
  kubeconfig: { type: 'string', requiresArg: true, coerce: lastOf<string>, describe: 'Kubeconfig file' },
  context: { type: 'string', requiresArg: true, coerce: lastOf<string>, describe: 'Kubeconfig context' },
} as const;

/** Arguments of `plan`. */
export function planArguments(parser: Argv): Argv<PlanOptions> {
  return fleetArguments(parser, PLAN_FORMATS)
    .option('against', {
      type: 'string',
      demandOption: true,
      requiresArg: true,
      coerce: lastOf<string>,
      describe: 'cluster, a rendered folder, or a commit of this repository',
    })
    .option('output', {
      alias: 'o',
      type: 'string',
      requiresArg: true,
      coerce: lastOf<string>,
      describe: 'Rendered folder in the commit; without it the inputs of the commit are rendered',
    })
    .option('prune', {
      type: 'boolean',
      default: false,
      describe: 'Agents of the cluster that are not in the inputs count as deleted',
    })
    .options(CONNECTION_FLAGS) as unknown as Argv<PlanOptions>;
}

/** Arguments of `convert`. */
export function convertArguments(parser: Argv): Argv<ConvertOptions> {
  return parser
    .positional('inputs', {
      type: 'string',
      array: true,
      demandOption: true,
      coerce: restoreStdin,
      describe: 'Files, folders (read with all below them), or - for the standard input',
    })
    .option('output', {
      alias: 'o',
      type: 'string',
      requiresArg: true,
      coerce: lastOf<string>,
      describe: 'Folder to write to; the standard output without it',
    })
    .option('force', { type: 'boolean', default: false, describe: 'Overwrite files that exist' })
    .option('format', {
      choices: FORMATS,
      default: 'text',
      coerce: lastOf<Format>,
      describe: 'How problems are printed',
    }) as unknown as Argv<ConvertOptions>;
}
