import { AGENT_KIND, ANNOTATIONS, LABELS, MANAGED_BY, ORIGIN_CLI, RUN_KIND } from '../../lib/api/identity.js';
import {
  comparePlan,
  identityKey,
  identityOf,
  isRendered,
  type Plan,
  type PlannedObject,
} from '../../lib/plan/compare.js';
import { isWorkloadOf } from '../../lib/runs/former-run.js';
import { runSpecDigest } from '../../lib/validation/validate-run.js';
import type { KubeApi } from '../../controller/kube/client.js';
import { hasStatusCode } from '../../controller/kube/errors.js';
import { listAll, type Selection } from '../../controller/kube/list.js';
import { apiVersionOf, RESOURCES, type ResourceType } from '../../controller/kube/resources.js';
import { type ClusterFlags, withCluster } from '../cluster/connect.js';
import { type DryRun, dryRunApply, readLive, settled } from './dry-run.js';

/** Which cluster, and how far the plan goes. */
export interface ClusterOptions extends ClusterFlags {
  /** The inputs are the whole fleet: agents of the cluster that are not among them are to be deleted. */
  readonly prune: boolean;
}

/** A plan against a cluster, and what it leaves out. */
export interface ClusterPlan {
  readonly plan: Plan;
  readonly notes: readonly string[];
}

/** Requests that are under way at a time: enough to hide their latency, few enough for a busy API server. */
const CONCURRENCY = 8;

/** Kinds that agents and runs render to, those that it may have rendered to before included. */
const KINDS: readonly ResourceType[] = [
  RESOURCES.agents,
  RESOURCES.runs,
  RESOURCES.jobs,
  RESOURCES.sandboxes,
  RESOURCES.deployments,
  RESOURCES.services,
  RESOURCES.claims,
  RESOURCES.serviceAccounts,
  RESOURCES.networkPolicies,
  RESOURCES.ingresses,
  RESOURCES.roles,
  RESOURCES.roleBindings,
  RESOURCES.clusterRoleBindings,
];

/** Compares rendered objects with a cluster, which judges them itself. Writes nothing there. */
export async function planAgainstCluster(
  rendered: readonly PlannedObject[],
  options: ClusterOptions,
): Promise<ClusterPlan> {
  return withCluster(options, (client) => planWith(client, rendered, options.prune));
}

async function planWith(api: KubeApi, rendered: readonly PlannedObject[], prune: boolean): Promise<ClusterPlan> {
  const settledRuns = await unchangedRuns(api, rendered);
  const results = await inTurn(rendered, (object) => keptWorkload(settledRuns, object) ?? dryRunApply(api, object));
  const wanted = new Set(rendered.map((object) => identityKey(identityOf(object))));
  const agents = new Set(rendered.filter(({ kind }) => kind === AGENT_KIND || kind === RUN_KIND).map(agentKey));
  const namespaces = [...new Set(rendered.flatMap(({ metadata }) => metadata.namespace ?? []))].sort();
  const present = (await inTurn(KINDS, (resource) => liveObjects(api, resource, namespaces))).flat();
  const others = present.filter((object) => !wanted.has(identityKey(identityOf(object))));
  const gone = others.filter((object) => isFromGit(object) && (prune || agents.has(agentKey(object))));
  const plan = comparePlan(
    [...results.flatMap(({ before }) => before ?? []), ...gone],
    results.map(({ after }) => after),
    { refused: results.flatMap(({ refused }) => refused) },
  );
  return { plan, notes: prune ? [] : strangers(others, agents, namespaces) };
}

/** The live workloads of runs whose spec has not changed, by identity. They stay as they are, as in a rendered tree. */
async function unchangedRuns(api: KubeApi, rendered: readonly PlannedObject[]): Promise<Map<string, PlannedObject>> {
  const runs = rendered.filter(({ kind }) => kind === RUN_KIND);
  const found = await inTurn(runs, async (run): Promise<PlannedObject[]> => {
    const live = await readLive(api, run);
    if (live === undefined || runSpecDigest(live.spec) !== runSpecDigest(run.spec)) return [];
    const workload = rendered.find(
      (object) => isWorkloadOf(object, run.metadata.name) && object.metadata.namespace === run.metadata.namespace,
    );
    const present = workload && (await readLive(api, workload));
    return present === undefined ? [] : [settled(present)];
  });
  return new Map(found.flat().map((object) => [identityKey(identityOf(object)), object]));
}

function keptWorkload(kept: ReadonlyMap<string, PlannedObject>, object: PlannedObject): Promise<DryRun> | undefined {
  const live = kept.get(identityKey(identityOf(object)));
  return live && Promise.resolve({ before: live, after: live, refused: [] });
}

/** Agents that live beside the planned ones: a folder too few in the inputs must not look like the end of them. */
function strangers(
  others: readonly PlannedObject[],
  agents: ReadonlySet<string>,
  namespaces: readonly string[],
): string[] {
  return others
    .filter(({ kind, metadata }) => kind === AGENT_KIND && namespaces.includes(metadata.namespace ?? ''))
    .map(agentKey)
    .filter((key) => !agents.has(key))
    .sort()
    .map((key) => `${key} is in the cluster and not in the inputs; --prune counts it as deleted`);
}

/** The agent that an object belongs to: `<namespace>/<name>`. Runs and their workloads are told apart by a prefix. */
function agentKey({ kind, metadata }: PlannedObject): string {
  if (kind === AGENT_KIND) return `${metadata.namespace ?? ''}/${metadata.name}`;
  if (kind === RUN_KIND) return `run ${metadata.namespace ?? ''}/${metadata.name}`;
  const run = metadata.labels?.[LABELS.run];
  if (run !== undefined) return `run ${metadata.namespace ?? ''}/${run}`;
  return `${metadata.labels?.[LABELS.agentNamespace] ?? ''}/${metadata.labels?.[LABELS.agent] ?? ''}`;
}

/** Our objects of one kind: of the whole cluster where that may be read, else of the namespaces that are planned. */
async function liveObjects(
  api: KubeApi,
  resource: ResourceType,
  namespaces: readonly string[],
): Promise<readonly PlannedObject[]> {
  const selection: Selection = {
    resource,
    ...(labelOf(resource) && { labelSelector: `${LABELS.managedBy}=${MANAGED_BY},${labelOf(resource) ?? ''}` }),
  };
  const read = async (part: Selection): Promise<readonly PlannedObject[]> =>
    (await listAll(api, part, (item) => asObject(item, resource))).items;
  try {
    return await read(selection);
  } catch (error) {
    // The kind is not served: then there is none of it.
    if (hasStatusCode(error, 404)) return [];
    if (!hasStatusCode(error, 403) || !resource.namespaced) throw error;
    return (await inTurn(namespaces, (namespace) => read({ ...selection, namespace }))).flat();
  }
}

/** Runs that `hermes-gitops run` made are in no input. */
function isFromGit({ metadata }: PlannedObject): boolean {
  return metadata.annotations?.[ANNOTATIONS.origin] !== ORIGIN_CLI;
}

/** The label that children of this kind carry; undefined for what people write themselves. */
function labelOf({ kind }: ResourceType): string | undefined {
  if (kind === AGENT_KIND || kind === RUN_KIND) return undefined;
  return kind === 'Job' || kind === 'Sandbox' ? LABELS.run : LABELS.agent;
}

/** Items of a list do not say what they are. */
function asObject(item: unknown, resource: ResourceType): PlannedObject | undefined {
  const object = { ...(item as PlannedObject), apiVersion: apiVersionOf(resource), kind: resource.kind };
  const isGoing = 'deletionTimestamp' in object.metadata;
  return isGoing || !isRendered(object) ? undefined : settled(object);
}

async function inTurn<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = new Array<R>(items.length);
  const queue = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return results;
}
