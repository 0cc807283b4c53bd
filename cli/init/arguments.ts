import type { Argv } from 'yargs';
import { lastOf } from '../flags.js';
import type { InitOptions } from '../init.js';

/** Arguments of `init`. */
export function initArguments(parser: Argv): Argv<InitOptions> {
  return parser
    .positional('folder', { type: 'string', demandOption: true, describe: 'Root of the repository' })
    .option('flux', { type: 'boolean', default: false, describe: 'For Flux' })
    .option('argocd', { type: 'boolean', default: false, describe: 'For Argo CD' })
    .option('repo', {
      type: 'string',
      requiresArg: true,
      coerce: lastOf<string>,
      describe: 'URL that the engine fetches; Flux takes the repository it was bootstrapped from when there is none',
    })
    .option('branch', {
      type: 'string',
      default: 'main',
      requiresArg: true,
      coerce: lastOf<string>,
      describe: 'Branch that is synced',
    })
    .option('path', {
      type: 'string',
      default: '.',
      requiresArg: true,
      coerce: lastOf<string>,
      describe: 'Folder in the repository that everything but the workflow goes to',
    })
    .option('namespace', {
      alias: 'n',
      type: 'string',
      default: 'hermes',
      requiresArg: true,
      coerce: lastOf<string>,
      describe: 'Namespace of the first agent',
    }) as unknown as Argv<InitOptions>;
}
