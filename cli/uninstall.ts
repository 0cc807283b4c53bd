import { AGENT_PLURAL, GROUP, INSTALL_PART_OF, RUN_PLURAL } from '../lib/api/identity.js';
import type { KubeApi } from '../controller/kube/client.js';
import { hasStatusCode } from '../controller/kube/errors.js';
import { withCluster } from './cluster/connect.js';
import { describeHeld, heldObjects, type HeldObject } from './cluster/held-objects.js';
import {
  describeInstalled,
  installedObjects,
  type InstalledObject,
  markOf,
  remove,
} from './cluster/installed-objects.js';
import { leaseHolder } from './cluster/lease-holder.js';
import { EXIT, type ExitCode, IoError } from './exit-codes.js';
import { heldLease, isConfirmed, releaseAll, type RemovalOptions } from './release-finalizers.js';
import type { Printer } from './report.js';

/** Arguments of `uninstall`. */
export interface UninstallOptions extends RemovalOptions {
  /** Deletes the kinds too, and with them every agent and run; what was rendered for these stays. */
  readonly deleteCrds: boolean;
}

/** A controller gives its Lease back when it is stopped; one that was killed keeps it for a quarter of a minute. */
const STOP_MS = 40_000;
const LOOK_MS = 500;

const CRD_PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const CRDS = [AGENT_PLURAL, RUN_PLURAL].map((plural) => `${plural}.${GROUP}`);

interface Plan {
  readonly workloads: readonly InstalledObject[];
  readonly held: readonly HeldObject[];
  readonly rest: readonly InstalledObject[];
  readonly crds: readonly string[];
}

/**
 * Takes the install set out of a cluster in the one order that leaves nothing hanging: the controller, then the
 * finalizers that only it would remove, then policies, rights and namespace, and the kinds last.
 */
export function uninstall(options: UninstallOptions, printer: Printer): Promise<ExitCode> {
  return withCluster(options, async (client) => {
    const plan = await planOf(client, options);
    printPlan(plan, options, printer);
    refuseTracked(plan, options);
    await refuseForeignController(client, plan, options);
    if (!isConfirmed(options, printer)) return options.dryRun ? EXIT.done : EXIT.usage;
    await perform(client, plan, options);
    printer.out('done');
    return EXIT.done;
  });
}

async function planOf(api: KubeApi, { controllerNamespace, deleteCrds }: UninstallOptions): Promise<Plan> {
  const installed = await installedObjects(api, controllerNamespace);
  const isWorkload = ({ resource }: InstalledObject): boolean => resource.kind === 'Deployment';
  return {
    workloads: installed.filter(isWorkload),
    held: await heldObjects(api),
    rest: installed.filter((object) => !isWorkload(object)),
    crds: deleteCrds ? CRDS : [],
  };
}

function printPlan(
  { workloads, held, rest, crds }: Plan,
  { controllerNamespace }: UninstallOptions,
  { out }: Printer,
): void {
  const list = (title: string, names: readonly string[]): void => {
    out(names.length === 0 ? `${title}: nothing` : title);
    for (const name of names) out(`   ${name}`);
  };
  list(
    `1. delete the controller, and wait until nobody holds its Lease in ${controllerNamespace}`,
    workloads.map(describeInstalled),
  );
  list('2. remove the finalizer; what was rendered stays, and so do the volumes', held.map(describeHeld));
  list(`3. delete what is labelled ${INSTALL_PART_OF.join('=')}`, rest.map(describeInstalled));
  if (crds.length === 0) out('4. keep the kinds, and with them every agent and run (--delete-crds deletes them)');
  else {
    const names = crds.map((name) => `CustomResourceDefinition ${name}`);
    list('4. delete the kinds, and with them every agent and run', names);
  }
}

/** An engine would put back what is deleted here. */
function refuseTracked({ workloads, rest }: Plan, { force }: UninstallOptions): void {
  const tracked = [...workloads, ...rest].flatMap((object) => {
    const mark = markOf(object);
    if (mark === undefined) return [];
    return [`${describeInstalled(object)} is applied by ${mark.manager}, as its ${mark.key} says,`];
  });
  const [first] = tracked;
  if (first === undefined || force) return;
  throw new IoError(`${first} and would come back: take it out of Git first, with pruning on, or add --force`);
}

/** Where there is no Deployment to delete, a holder of the Lease runs somewhere else. */
async function refuseForeignController(api: KubeApi, { workloads }: Plan, options: UninstallOptions): Promise<void> {
  if (options.force || workloads.length > 0) return;
  const holder = await leaseHolder(api, options.controllerNamespace);
  if (holder !== undefined) throw new IoError(heldLease(options.controllerNamespace, holder));
}

async function perform(api: KubeApi, plan: Plan, options: UninstallOptions): Promise<void> {
  for (const object of plan.workloads) await remove(api, object);
  if (!options.force) await waitForStop(api, options.controllerNamespace);
  // Read again: the controller may have worked until a moment ago.
  await releaseAll(api, await heldObjects(api));
  for (const object of plan.rest) await remove(api, object);
  for (const name of plan.crds) {
    try {
      await api.request({ method: 'DELETE', path: `${CRD_PATH}/${name}` });
    } catch (error) {
      if (!hasStatusCode(error, 404)) throw error;
    }
  }
}

async function waitForStop(api: KubeApi, namespace: string): Promise<void> {
  const deadline = performance.now() + STOP_MS;
  for (;;) {
    const holder = await leaseHolder(api, namespace);
    if (holder === undefined) return;
    if (performance.now() > deadline) throw new IoError(heldLease(namespace, holder));
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
