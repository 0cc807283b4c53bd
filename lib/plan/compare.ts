import { LABELS } from '../api/identity.js';
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

/** An agent whose pod is replaced, started or stopped by the change. */
export interface AgentRestart {
  readonly namespace: string;
  readonly agent: string;
  /** `restart`: drained and started again. `start` and `stop`: the agent leaves or enters suspension. */
  readonly effect: 'restart' | 'start' | 'stop';
  /** The fields of the pod template that differ; empty for `start` and `stop` of an unchanged template. */
  readonly because: readonly Difference[];
}

/** A change that the API server would refuse, so that the engine's sync would fail. */
export interface RefusedChange {
  readonly object: ObjectIdentity;
  readonly path: string;
  readonly message: string;
}

/** What happens when `after` takes the place of `before`. Every list is sorted. */
export interface Plan {
  readonly created: readonly ObjectIdentity[];
  readonly changed: readonly ChangedObject[];
  readonly deleted: readonly ObjectIdentity[];
  readonly restarts: readonly AgentRestart[];
  readonly refused: readonly RefusedChange[];
}

/** Compares two sets of objects. Pure: it reads nothing but its arguments. */
export function comparePlan(before: readonly PlannedObject[], after: readonly PlannedObject[]): Plan {
  const old = new Map(before.map((object) => [identityKey(identityOf(object)), object]));
  const fresh = new Map(after.map((object) => [identityKey(identityOf(object)), object]));
  const pairs = [...fresh].flatMap(([key, object]) => {
    const former = old.get(key);
    return former === undefined ? [] : [{ before: former, after: object }];
  });
  return {
    created: identities([...fresh].filter(([key]) => !old.has(key)).map(([, object]) => object)),
    deleted: identities([...old].filter(([key]) => !fresh.has(key)).map(([, object]) => object)),
    changed: sorted(
      pairs
        .map((pair) => ({ object: identityOf(pair.after), differences: differences(pair.before, pair.after) }))
        .filter((change) => change.differences.length > 0),
      (change) => identityKey(change.object),
    ),
    restarts: sorted(pairs.flatMap(restartOf), (restart) => `${restart.namespace}/${restart.agent}`),
    refused: sorted(
      pairs.flatMap((pair) =>
        refusedChanges(pair.before, pair.after).map((refusal) => ({ object: identityOf(pair.after), ...refusal })),
      ),
      (refusal) => `${identityKey(refusal.object)} ${refusal.path}`,
    ),
  };
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

function restartOf(pair: { before: PlannedObject; after: PlannedObject }): AgentRestart[] {
  const agent = pair.after.metadata.labels?.[LABELS.agent];
  if (pair.after.kind !== 'Deployment' || agent === undefined) return [];
  const before = (pair.before.spec ?? {}) as DeploymentSpec;
  const after = (pair.after.spec ?? {}) as DeploymentSpec;
  const because = differences(before.template, after.template);
  const wasUp = (before.replicas ?? 1) > 0;
  const isUp = (after.replicas ?? 1) > 0;
  if (wasUp === isUp && (!isUp || because.length === 0)) return [];
  const effect = wasUp === isUp ? 'restart' : isUp ? 'start' : 'stop';
  return [{ namespace: pair.after.metadata.namespace ?? '', agent, effect, because }];
}

function identities(objects: readonly PlannedObject[]): ObjectIdentity[] {
  return sorted(objects.map(identityOf), identityKey);
}

function sorted<T>(items: readonly T[], key: (item: T) => string): T[] {
  return [...items].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}
