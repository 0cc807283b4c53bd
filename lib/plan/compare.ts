import { AGENT_KIND, ANNOTATIONS, FOREIGN, GROUP, LABELS, MANAGED_BY, RUN_KIND } from '../api/identity.js';
import { differences, type Difference } from './difference.js';
import { refusedChanges } from './refused-changes.js';

/** A rendered object, or a live one: plain JSON with an identity. */
export interface PlannedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: unknown;
}

/** An object that exists on both sides and is not the same. */
export interface ChangedObject {
  readonly object: ObjectIdentity;
  readonly differences: readonly Difference[];
}

/** What tells one object from another. `namespace` is empty for a cluster-scoped one. */
export interface ObjectIdentity {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** Why an agent's pod is replaced, started or stopped. */
export type EffectReason = 'created' | 'deleted' | 'suspended' | 'resumed' | 'template';

/** An agent whose pod is replaced, started or stopped by the change. */
export interface AgentRestart {
  readonly namespace: string;
  readonly agent: string;
  /** `restart`: drained and started again. */
  readonly effect: 'restart' | 'start' | 'stop';
  readonly reason: EffectReason;
  /** The fields of the pod template that differ; empty where there is no template on one of the sides. */
  readonly because: readonly Difference[];
}

/** A change that the API server would refuse, so that the engine's sync would fail. */
export interface RefusedChange {
  readonly object: ObjectIdentity;
  /** Empty when the whole object is refused. */
  readonly path: string;
  readonly message: string;
  /** False where it depends on what only the cluster knows. */
  readonly certain: boolean;
  /** The API server's own words, where it was asked. */
  readonly answer?: string;
}

/** What happens when `after` takes the place of `before`. Every list is sorted. */
export interface Plan {
  readonly created: readonly ObjectIdentity[];
  readonly changed: readonly ChangedObject[];
  readonly deleted: readonly ObjectIdentity[];
  /** Not rendered any more, and marked so that no engine deletes them. */
  readonly kept: readonly ObjectIdentity[];
  readonly restarts: readonly AgentRestart[];
  readonly refused: readonly RefusedChange[];
}

/** What is known beyond the objects. */
export interface PlanContext {
  /** The API server's verdict on `after`; without it the rules that are known here stand in. */
  readonly refused?: readonly RefusedChange[];
}

/** One object on both sides. */
interface Pair {
  readonly before: PlannedObject;
  readonly after: PlannedObject;
}

/** Compares two sets of objects. Pure: it reads nothing but its arguments. */
export function comparePlan(
  before: readonly PlannedObject[],
  after: readonly PlannedObject[],
  context: PlanContext = {},
): Plan {
  const old = new Map(before.map((object) => [identityKey(identityOf(object)), object]));
  const fresh = new Map(after.map((object) => [identityKey(identityOf(object)), object]));
  const pairs = [...fresh].flatMap(([key, object]): Pair[] => {
    const former = old.get(key);
    return former === undefined ? [] : [{ before: former, after: object }];
  });
  const gone = [...old].filter(([key]) => !fresh.has(key)).map(([, object]) => object);
  const refused = context.refused ?? pairs.flatMap(refusalsOf);
  const impossible = new Set(refused.filter(({ certain }) => certain).map(({ object }) => identityKey(object)));
  const created = [...fresh].filter(([key]) => !old.has(key) && !impossible.has(key)).map(([, object]) => object);
  // A change that does not come about restarts nothing.
  const possible = pairs.filter(({ after: object }) => !impossible.has(identityKey(identityOf(object))));
  return {
    created: identities(created),
    deleted: identities(gone.filter((object) => !isKept(object))),
    kept: identities(gone.filter(isKept)),
    changed: sorted(
      pairs
        .map((pair) => ({ object: identityOf(pair.after), differences: differences(pair.before, pair.after) }))
        .filter((change) => change.differences.length > 0),
      (change) => identityKey(change.object),
    ),
    restarts: sorted(
      [
        ...possible.flatMap(restartOf),
        ...created.flatMap((object) => appearance(object, 'start', 'created')),
        ...gone.flatMap((object) => appearance(object, 'stop', 'deleted')),
      ],
      (restart) => `${restart.namespace}/${restart.agent}`,
    ),
    refused: sorted(refused, (refusal) => `${identityKey(refusal.object)} ${refusal.path}`),
  };
}

/** Whether an object is one that this project renders, whoever applied it. */
export function isRendered({ apiVersion, kind, metadata }: PlannedObject): boolean {
  if (kind === AGENT_KIND || kind === RUN_KIND) return apiVersion.startsWith(`${GROUP}/`);
  const { labels = {} } = metadata;
  return labels[LABELS.managedBy] === MANAGED_BY && (LABELS.agent in labels || LABELS.run in labels);
}

/** Whether all that changes is the note which spec the object was rendered from: nothing in the cluster acts on it. */
export function isDigestOnly({ differences: found }: ChangedObject): boolean {
  return found.every(isDigest);
}

/** Whether a difference is a digest: that of the spec changes in every object of an agent at once. */
export function isDigest({ path }: Difference): boolean {
  return [ANNOTATIONS.specDigest, ANNOTATIONS.workloadDigest].some((key) => path === `metadata.annotations["${key}"]`);
}

function refusalsOf({ before, after }: Pair): RefusedChange[] {
  return refusedChanges(before, after).map((refusal) => ({ object: identityOf(after), ...refusal }));
}

/** Both engines are told, so one mark is enough to see it. */
function isKept({ metadata }: PlannedObject): boolean {
  return metadata.annotations?.[FOREIGN.fluxPrune] === 'disabled';
}

/** The identity of an object; the version is no part of it. */
export function identityOf(object: PlannedObject): ObjectIdentity {
  const slash = object.apiVersion.indexOf('/');
  return {
    group: slash === -1 ? '' : object.apiVersion.slice(0, slash),
    kind: object.kind,
    namespace: object.metadata.namespace ?? '',
    name: object.metadata.name,
  };
}

/** One string per identity, in an order that people expect: namespace, kind, name. */
export function identityKey(identity: ObjectIdentity): string {
  return `${identity.namespace}/${identity.kind}/${identity.group}/${identity.name}`;
}

interface DeploymentSpec {
  readonly replicas?: number;
  readonly template?: unknown;
}

function restartOf(pair: Pair): AgentRestart[] {
  const agent = agentOf(pair.after);
  if (agent === undefined) return [];
  const because = differences(templateOf(pair.before), templateOf(pair.after));
  const [wasUp, isUp] = [isRunning(pair.before), isRunning(pair.after)];
  if (wasUp === isUp && (!isUp || because.length === 0)) return [];
  if (wasUp === isUp) return [{ ...agent, effect: 'restart', reason: 'template', because }];
  return isUp
    ? [{ ...agent, effect: 'start', reason: 'resumed', because }]
    : [{ ...agent, effect: 'stop', reason: 'suspended', because }];
}

function appearance(object: PlannedObject, effect: 'start' | 'stop', reason: EffectReason): AgentRestart[] {
  const agent = agentOf(object);
  return agent === undefined || !isRunning(object) ? [] : [{ ...agent, effect, reason, because: [] }];
}

/** The agent whose pod the object runs, when it is a Deployment of one. */
function agentOf({ kind, metadata }: PlannedObject): { namespace: string; agent: string } | undefined {
  const agent = metadata.labels?.[LABELS.agent];
  return kind !== 'Deployment' || agent === undefined ? undefined : { namespace: metadata.namespace ?? '', agent };
}

function templateOf({ spec }: PlannedObject): unknown {
  return (spec as DeploymentSpec | undefined)?.template;
}

function isRunning({ spec }: PlannedObject): boolean {
  return ((spec as DeploymentSpec | undefined)?.replicas ?? 1) > 0;
}

function identities(objects: readonly PlannedObject[]): ObjectIdentity[] {
  return sorted(objects.map(identityOf), identityKey);
}

function sorted<T>(items: readonly T[], key: (item: T) => string): T[] {
  return [...items].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}
