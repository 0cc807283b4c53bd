import { LEASE_NAME } from '../lib/api/identity.js';
import type { KubeApi } from '../controller/kube/client.js';
import { describeError } from '../controller/kube/errors.js';
import { type ClusterFlags, withCluster } from './cluster/connect.js';
import { describeHeld, heldObjects, release, type HeldObject } from './cluster/held-objects.js';
import { leaseHolder } from './cluster/lease-holder.js';
import { EXIT, type ExitCode, IoError } from './exit-codes.js';
import type { Printer } from './report.js';

/** Flags of the verbs that take something out of a cluster. */
export interface RemovalOptions extends ClusterFlags {
  /** Namespace of the controller and of its Lease. */
  readonly controllerNamespace: string;
  /** Says what would be done, and does nothing. */
  readonly dryRun: boolean;
  /** Does it: without this nothing is changed. */
  readonly yes: boolean;
  /** Passes over what speaks against it. */
  readonly force: boolean;
}

/** Arguments of `release-finalizers`. */
export interface ReleaseOptions extends RemovalOptions {
  /** All namespaces without it. */
  readonly namespace?: string;
}

/** Lets every agent and run go that waits for a controller which is no more. */
export function releaseFinalizers(options: ReleaseOptions, printer: Printer): Promise<ExitCode> {
  return withCluster(options, async (client) => {
    const held = await heldObjects(client, options.namespace);
    if (held.length === 0) {
      printer.out('nothing carries the finalizer');
      return EXIT.done;
    }
    await refuseBesideController(client, options);
    for (const object of held)
      printer.out(`${options.yes && !options.dryRun ? 'release' : 'would release'} ${describeHeld(object)}`);
    if (!isConfirmed(options, printer)) return options.dryRun ? EXIT.done : EXIT.usage;
    await releaseAll(client, held);
    printer.out('what was rendered for them stays');
    return EXIT.done;
  });
}

/** Whether to go on: a dry run does not, and neither does a run that nobody has confirmed. */
export function isConfirmed({ dryRun, yes }: RemovalOptions, printer: Printer): boolean {
  if (dryRun) return false;
  if (!yes) printer.err('error: nothing was changed; add --yes to do it');
  return yes;
}

/** Releases one after the other, and reports at the end those that could not be. */
export async function releaseAll(api: KubeApi, held: readonly HeldObject[]): Promise<void> {
  const failures: string[] = [];
  for (const object of held) {
    try {
      await release(api, object);
    } catch (error) {
      failures.push(`${describeHeld(object)}: ${describeError(error)}`);
    }
  }
  if (failures.length > 0) throw new IoError(failures.join('\n'));
}

async function refuseBesideController(api: KubeApi, options: RemovalOptions): Promise<void> {
  if (options.force) return;
  const { controllerNamespace } = options;
  const holder = await leaseHolder(api, controllerNamespace);
  if (holder !== undefined) throw new IoError(heldLease(controllerNamespace, holder));
}

/** Why nothing is taken away under a controller that works. */
export function heldLease(namespace: string, holder: string): string {
  return (
    `${holder} holds the Lease ${namespace}/${LEASE_NAME} and would put the finalizer back: stop the controller first ` +
    `(kubectl -n ${namespace} scale deployment hermes-gitops-controller --replicas=0), or add --force`
  );
}
