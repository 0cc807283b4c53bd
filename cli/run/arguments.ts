import type { Argv } from 'yargs';
import { CONNECTION_FLAGS } from '../arguments.js';
import { UsageError } from '../exit-codes.js';
import { lastOf, namespaceFlag } from '../flags.js';
import type { RunOptions } from './options.js';

/** Reads the flag `--<name>`. What is no number at all comes as NaN. */
const seconds =
  (name: string) =>
  (value: number | readonly number[] | undefined): number | undefined => {
    const last = value === undefined ? undefined : lastOf(value);
    if (last !== undefined && !Number.isSafeInteger(last))
      throw new UsageError(`--${name} has to be a whole number of seconds`);
    return last;
  };

/** Arguments of `run`. */
export function runArguments(parser: Argv): Argv<RunOptions> {
  return outcomeArguments(parser)
    .options(CONNECTION_FLAGS)
    .option('agent', {
      type: 'string',
      demandOption: true,
      requiresArg: true,
      coerce: lastOf<string>,
      describe: 'HermesAgent of the cluster to take image, variables and rights from',
    })
    .option('instructions', {
      alias: 'i',
      type: 'string',
      demandOption: true,
      requiresArg: true,
      coerce: lastOf<string>,
      describe: 'What the agent is to do',
    })
    .option('namespace', namespaceFlag('Namespace of the agent and the run'))
    .option('name', {
      type: 'string',
      requiresArg: true,
      coerce: lastOf<string>,
      describe: 'Name of the run; made up without it',
    })
    .option('workload', {
      choices: ['Job', 'Sandbox'] as const,
      default: 'Job',
      coerce: lastOf<string>,
      describe: 'What the run is executed as',
    })
    .option('startup-deadline', {
      type: 'number',
      requiresArg: true,
      coerce: seconds('startup-deadline'),
      describe: 'Seconds for the container to start; 0 for no limit',
    })
    .option('active-deadline', {
      type: 'number',
      requiresArg: true,
      coerce: seconds('active-deadline'),
      describe: 'Seconds for the whole run',
    })
    .option('ttl', {
      type: 'number',
      requiresArg: true,
      coerce: seconds('ttl'),
      describe: 'Seconds after which the finished run is deleted',
    }) as unknown as Argv<RunOptions>;
}

/** What is to be done with the run. */
function outcomeArguments(parser: Argv): Argv {
  return parser
    .option('output', {
      alias: 'o',
      choices: ['yaml'] as const,
      coerce: lastOf<string>,
      describe: 'Print the objects, for a file in Git, and create nothing',
    })
    .option('wait', { type: 'boolean', default: false, describe: 'Wait for the end, and exit with the outcome' })
    .option('timeout', {
      type: 'number',
      default: 0,
      requiresArg: true,
      coerce: (value: number | readonly number[]) => lastOf(value),
      describe: 'Seconds to wait at most; 0 for no end',
    });
}
