import { AgentCache } from '../../controller/cache/agent-cache.js';
import { SecretWatchlist } from '../../controller/cache/secret-watchlist.js';
import { noFinalizer, type AgentFinalizer } from '../../controller/finalize/agent-finalizer.js';
import { KubeStatusError } from '../../controller/kube/errors.js';
import type { StoredAgent } from '../../controller/kube/objects.js';
import type { ObjectWriter } from '../../controller/kube/object-writer.js';
import { AgentReconciler, type ComputedStatus, type ComputeStatus } from '../../controller/reconcile/agent.js';
import { SpecFactsCache } from '../../controller/reconcile/spec-facts.js';
import type { ObservedAgent } from '../../controller/status/observed.js';

/** Key of the one agent of a {@link reconciledAgent}. */
export const KEY = 'lab/mina';

/** The agent as the cache keeps it. */
export function agent(
  parts: { version?: string; uid?: string; phase?: string; deleted?: boolean; spec?: unknown } = {},
): StoredAgent {
  return {
    metadata: {
      name: 'mina',
      namespace: 'lab',
      uid: parts.uid ?? 'u1',
      resourceVersion: parts.version ?? '1',
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
      ...(parts.deleted === true ? { deletionTimestamp: '2026-01-02T00:00:00Z' } : {}),
    },
    spec: parts.spec ?? { image: 'x:v1' },
    ...(parts.phase === undefined ? {} : { status: { phase: parts.phase } }),
  };
}

/** What every condition has besides what a test is about. */
export const AT = { lastTransitionTime: '2026-01-01T00:00:00Z', message: '' };

/** A status of an agent that is coming up, told apart by the reason of its PodReady. */
export const onItsWay = (reason: string): ComputedStatus => ({
  phase: 'Provisioning',
  conditions: [
    { type: 'Reconciling', status: 'True', reason: 'PodNotReady', ...AT },
    { type: 'PodReady', status: 'False', reason, ...AT },
  ],
});

/** An answer of the API server with this code. */
export const statusError = (statusCode: number): KubeStatusError =>
  new KubeStatusError({ statusCode, reason: 'R', message: 'no' });

/** A reconciler with a cluster that is played, and what it did to it. */
export interface ReconciledAgent {
  readonly cache: AgentCache;
  readonly reconciler: AgentReconciler;
  /** resourceVersion that each write was based on. */
  readonly applied: string[];
  readonly observed: ObservedAgent[];
  readonly events: string[];
  readonly series: Set<string>;
  /** Keys for which the queue was told to bring a pass. */
  readonly changed: string[];
}

/** What the played cluster does. */
export interface Behaviour {
  readonly compute?: ComputeStatus;
  /** What each write meets, in order: an error, or what the server then stores. */
  readonly writes?: (Error | StoredAgent)[];
  /** In place of that: what the server stores on the state that a write was based on. */
  readonly stores?: (resourceVersion: string) => StoredAgent;
  readonly live?: StoredAgent | undefined;
  readonly finalizer?: AgentFinalizer;
  readonly namespaces?: readonly string[];
  /** What happens while Secrets are read. */
  readonly whileReading?: (cache: AgentCache) => void;
  /** What happens while the agent is read after a conflict. */
  readonly whileReadingAgain?: (cache: AgentCache) => void;
  readonly now?: () => number;
}

/** Makes a reconciler of one agent. */
export function reconciledAgent(behaviour: Behaviour = {}): ReconciledAgent {
  const applied: string[] = [];
  const observed: ObservedAgent[] = [];
  const events: string[] = [];
  const series = new Set<string>();
  const changed: string[] = [];
  const writes = [...(behaviour.writes ?? [])];
  const cache = new AgentCache({
    api: {} as never,
    namespaces: behaviour.namespaces ?? [],
    onAgentChange: (key) => {
      changed.push(key);
    },
    onRoleChange: () => undefined,
    observe: () => ({ listed: () => undefined, restarted: () => undefined, failed: () => undefined }),
  });
  const writer: ObjectWriter = {
    applyStatus: ({ metadata }) => {
      applied.push(metadata.resourceVersion);
      const result = behaviour.stores?.(metadata.resourceVersion) ?? writes.shift();
      if (result instanceof Error) return Promise.reject(result);
      return Promise.resolve(result);
    },
    read: () => {
      behaviour.whileReadingAgain?.(cache);
      return Promise.resolve(behaviour.live);
    },
    setFinalizer: () => Promise.reject(new Error('not asked for')),
  };
  const secrets = new SecretWatchlist({
    read: () => {
      behaviour.whileReading?.(cache);
      return Promise.resolve({ state: 'missing' });
    },
    onChange: () => undefined,
  });
  const reconciler = new AgentReconciler({
    cache,
    secrets,
    facts: new SpecFactsCache({
      validate: () => [],
      digest: () => 'v1:d',
      secretReferences: () => [
        { name: 'tokens', key: 'discord', optional: false },
        { name: 'extra', optional: true },
      ],
    }),
    writer,
    finalizer: behaviour.finalizer ?? noFinalizer,
    series: {
      set: ({ metadata }, { phase }) => series.add(`${metadata.name} ${phase ?? ''}`),
      remove: ({ name }) => {
        for (const one of series) if (one.startsWith(`${name} `)) series.delete(one);
      },
    },
    record: (_, event) => events.push(`${event.type} ${event.reason}: ${event.note}`),
    gates: { allowedClusterRoles: ['reader'], allowedBindingNamespaces: [] },
    compute: (one, now) => {
      observed.push(one);
      return behaviour.compute?.(one, now) ?? { status: { phase: 'Ready' } };
    },
    now: behaviour.now ?? (() => 1000),
    onPhase: () => undefined,
  });
  return { cache, reconciler, applied, observed, events, series, changed };
}
