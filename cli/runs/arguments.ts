import type { Argv } from 'yargs';
import { CONNECTION_FLAGS, restoreStdin } from '../arguments.js';
import { namespaceFlag } from '../flags.js';

import type { ListOptions } from './list.js';
import type { PruneOptions } from './prune.js';

/** Arguments of `runs list`. */
export function listArguments(parser: Argv): Argv<ListOptions> {
  return parser
    .options(CONNECTION_FLAGS)
    .option('namespace', namespaceFlag('Namespace of the runs; all without it')) as unknown as Argv<ListOptions>;
}

/** Arguments of `runs prune`. */
export function pruneArguments(parser: Argv): Argv<PruneOptions> {
  return parser
    .options(CONNECTION_FLAGS)
    .positional('inputs', {
      type: 'string',
      array: true,
      demandOption: true,
      coerce: restoreStdin,
      describe: 'Files and folders that runs are written in',
    })
    .option('namespace', namespaceFlag('Namespace of runs that name none'))
    .option('dry-run', {
      type: 'boolean',
      default: false,
      describe: 'Say what would be removed, and remove nothing',
    }) as unknown as Argv<PruneOptions>;
}
