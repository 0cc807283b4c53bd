import { AGENT_KIND, LABELS, MANAGED_BY } from '../../lib/api/identity.js';
import {
  comparePlan,
  identityKey,
  identityOf,
  isRendered,
  type Plan,
  type PlannedObject,
} from '../../lib/plan/compare.js';
import type { KubeApi } from '../../controller/kube/client.js';
import { describeError, hasStatusCode } from '../../controller/kube/errors.js';
import { listAll, type Selection } from '../../controller/kube/list.js';
import { apiVersionOf, RESOURCES, type ResourceType } from '../../controller/kube/resources.js';
import { connect, type ClusterFlags } from '../cluster/connect.js';
import { IoError } from '../exit-codes.js';
import { dryRunApply, settled } from './dry-run.js';

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

/** Kinds that an agent renders to, those that it may have rendered to before included. */
const KINDS: readonly ResourceType[] = [
  RESOURCES.agents,
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
  const client = connect(options);
  try {
    return await planWith(client, rendered, options.prune);
  } catch (error) {
    if (error instanceof IoError) throw error;
    throw new IoError(`cluster: ${describeError(error)}`, { cause: error });
  } finally {
    client.close();
  }
}

async function planWith(api: KubeApi, rendered: readonly PlannedObject[], prune: boolean): Promise<ClusterPlan> {
  const results = await inTurn(rendered, (object) => dryRunApply(api, object));
  const wanted = new Set(rendered.map((object) => identityKey(identityOf(object))));
  const agents = new Set(rendered.filter(({ kind }) => kind === AGENT_KIND).map(agentKey));
  const namespaces = [...new Set(rendered.flatMap(({ metadata }) => metadata.namespace ?? []))].sort();
  const present = (await inTurn(KINDS, (resource) => liveObjects(api, resource, namespaces))).flat();
  const others = present.filter((object) => !wanted.has(identityKey(identityOf(object))));
  const gone = others.filter((object) => prune || agents.has(agentKey(object)));
  const plan = comparePlan(
    [...results.flatMap(({ before }) => before ?? []), ...gone],
    results.map(({ after }) => after),
    { refused: results.flatMap(({ refused }) => refused) },
  );
  return { plan, notes: prune ? [] : strangers(others, agents, namespaces) };
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

/** The agent that an object belongs to: `<namespace>/<name>`. */
function agentKey({ kind, metadata }: PlannedObject): string {
  if (kind === AGENT_KIND) return `${metadata.namespace ?? ''}/${metadata.name}`;
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
    ...(resource.kind !== AGENT_KIND && { labelSelector: `${LABELS.managedBy}=${MANAGED_BY},${LABELS.agent}` }),
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
