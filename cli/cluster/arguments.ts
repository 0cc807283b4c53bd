import type { Argv } from 'yargs';
import { DEFAULT_CONTROLLER_NAMESPACE } from '../../lib/api/probe-access.js';
import { CONNECTION_FLAGS } from '../arguments.js';
import { lastOf } from '../flags.js';
import type { ReleaseOptions, RemovalOptions } from '../release-finalizers.js';
import type { UninstallOptions } from '../uninstall.js';

function removalArguments(parser: Argv): Argv<RemovalOptions> {
  return parser.options({
    'controller-namespace': {
      type: 'string',
      default: DEFAULT_CONTROLLER_NAMESPACE,
      requiresArg: true,
      coerce: lastOf<string>,
      describe: 'Namespace of the controller',
    },
    'dry-run': { type: 'boolean', default: false, describe: 'Say what would be done, and do nothing' },
    yes: { alias: 'y', type: 'boolean', default: false, describe: 'Do it; without this nothing is changed' },
    force: { type: 'boolean', default: false, describe: 'Also beside a controller that still works' },
    ...CONNECTION_FLAGS,
  }) as unknown as Argv<RemovalOptions>;
}

/** Arguments of `release-finalizers`. */
export function releaseArguments(parser: Argv): Argv<ReleaseOptions> {
  return removalArguments(parser).option('namespace', {
    alias: 'n',
    type: 'string',
    requiresArg: true,
    coerce: lastOf<string>,
    describe: 'Agents and runs of this namespace alone',
  }) as unknown as Argv<ReleaseOptions>;
}

/** Arguments of `uninstall`. */
export function uninstallArguments(parser: Argv): Argv<UninstallOptions> {
  return removalArguments(parser).option('delete-crds', {
    type: 'boolean',
    default: false,
    describe: 'Delete the kinds too, and with them every agent and run',
  }) as unknown as Argv<UninstallOptions>;
}
