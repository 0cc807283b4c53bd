import { describe, expect, it } from 'vitest';
import { AgentCache } from '../../../../controller/cache/agent-cache.js';
import { SecretWatchlist } from '../../../../controller/cache/secret-watchlist.js';
import { noFinalizer, type AgentFinalizer } from '../../../../controller/finalize/agent-finalizer.js';
import { KubeConnectionError, KubeStatusError } from '../../../../controller/kube/errors.js';
import type { StoredAgent } from '../../../../controller/kube/objects.js';
import type { ObjectWriter } from '../../../../controller/kube/object-writer.js';
import { AgentReconciler, type ComputedStatus, type ComputeStatus } from '../../../../controller/reconcile/agent.js';
import { SpecFactsCache } from '../../../../controller/reconcile/spec-facts.js';
import type { ObservedAgent } from '../../../../controller/status/observed.js';

const KEY = 'lab/mina';

function agent(
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

const AT = { lastTransitionTime: '2026-01-01T00:00:00Z', message: '' };

const onItsWay = (reason: string): ComputedStatus => ({
  phase: 'Provisioning',
  conditions: [
    { type: 'Reconciling', status: 'True', reason: 'PodNotReady', ...AT },
    { type: 'PodReady', status: 'False', reason, ...AT },
  ],
});

const statusError = (statusCode: number): KubeStatusError =>
  new KubeStatusError({ statusCode, reason: 'R', message: 'no' });

interface Harness {
  readonly cache: AgentCache;
  readonly reconciler: AgentReconciler;
  /** resourceVersion that each write was based on. */
  readonly applied: string[];
  readonly observed: ObservedAgent[];
  readonly events: string[];
  readonly series: Set<string>;
}

interface Behaviour {
  readonly compute?: ComputeStatus;
  /** What each write meets, in order: an error, or what the server then stores. */
  readonly writes?: (Error | StoredAgent)[];
  /** In place of that: what the server stores on the state that a write was based on. */
  readonly stores?: (resourceVersion: string) => StoredAgent;
  readonly live?: StoredAgent | undefined;
  readonly finalizer?: AgentFinalizer;
  readonly namespaces?: readonly string[];
  readonly whileReading?: (cache: AgentCache) => void;
  readonly now?: () => number;
}

function harness(behaviour: Behaviour = {}): Harness {
  const applied: string[] = [];
  const observed: ObservedAgent[] = [];
  const events: string[] = [];
  const series = new Set<string>();
  const writes = [...(behaviour.writes ?? [])];
  const cache = new AgentCache({
    api: {} as never,
    namespaces: behaviour.namespaces ?? [],
    onAgentChange: () => undefined,
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
    read: () => Promise.resolve(behaviour.live),
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
  return { cache, reconciler, applied, observed, events, series };
}

describe('AgentReconciler', () => {
  it('writes what differs, on the state that it read', async () => {
    const { cache, reconciler, applied, events, series } = harness({
      writes: [agent({ version: '8', phase: 'Ready' })],
    });
    cache.agents.upsert(agent({ version: '7', phase: 'Provisioning' }));
    expect(await reconciler.reconcile(KEY)).toEqual({ kind: 'settled', wrote: true });
    expect(applied).toEqual(['7']);
    expect(events).toEqual(['Normal Ready: Provisioning -> Ready: ']);
    expect([...series]).toEqual(['mina Ready']);
  });

  it('judges by what it wrote before the watch has said so', async () => {
    const { cache, reconciler, applied } = harness({ writes: [agent({ version: '8', phase: 'Ready' })] });
    cache.agents.upsert(agent({ version: '7' }));
    await reconciler.reconcile(KEY);
    expect(await reconciler.reconcile(KEY)).toEqual({ kind: 'settled', wrote: false });
    expect(applied).toEqual(['7']);
  });

  it('writes nothing for a settled agent, however often it looks', async () => {
    const { cache, reconciler, applied, events, series } = harness();
    cache.agents.upsert(agent({ phase: 'Ready' }));
    for (let i = 0; i < 20; i++) expect(await reconciler.reconcile(KEY)).toEqual({ kind: 'settled', wrote: false });
    expect(applied).toEqual([]);
    expect(events).toEqual([]);
    expect([...series]).toEqual(['mina Ready']);
  });

  it('does not write the same again when the server stores it in another form', async () => {
    const { cache, reconciler, applied } = harness({ writes: [agent({ version: '8', phase: 'Else' })] });
    cache.agents.upsert(agent({ version: '7' }));
    await reconciler.reconcile(KEY);
    await reconciler.reconcile(KEY);
    expect(applied).toEqual(['7']);
  });

  it('holds back a minor change right after a write, while the agent is on its way', async () => {
    const computed = [onItsWay('PodNotReady'), onItsWay('ContainerCreating')];
    const { cache, reconciler, applied } = harness({
      compute: () => ({ status: computed.shift() ?? {}, recheckAfterMs: 60_000 }),
      writes: [{ ...agent({ version: '8' }), status: { ...onItsWay('PodNotReady') } }],
    });
    cache.agents.upsert(agent({ version: '7' }));
    expect(await reconciler.reconcile(KEY)).toEqual({ kind: 'settled', wrote: true, recheckAfterMs: 60_000 });
    expect(await reconciler.reconcile(KEY)).toEqual({ kind: 'settled', wrote: false, recheckAfterMs: 10_000 });
    expect(applied).toEqual(['7']);
  });

  it('writes no detail that Ready follows within a moment, and one that stands, two seconds after it came', async () => {
    let now = Date.parse('2026-01-01T00:01:00Z');
    let computed = onItsWay('ContainerCreating');
    const { cache, reconciler, applied } = harness({
      now: () => now,
      compute: () => ({ status: computed }),
      writes: [
        { ...agent({ version: '8' }), status: { ...onItsWay('Pulling') } },
        agent({ version: '9', phase: 'Ready' }),
      ],
    });
    cache.agents.upsert({ ...agent({ version: '7' }), status: { ...onItsWay('Unschedulable') } });
    const settle = (wrote: boolean, recheckAfterMs?: number): Promise<void> =>
      expect(reconciler.reconcile(KEY)).resolves.toEqual({
        kind: 'settled',
        wrote,
        ...(recheckAfterMs === undefined ? {} : { recheckAfterMs }),
      });
    await settle(false, 2000);
    now += 1500;
    computed = onItsWay('Pulling');
    await settle(false, 500);
    now += 500;
    await settle(true);
    now += 60_000;
    computed = onItsWay('RollingOut');
    await settle(false, 2000);
    now += 100;
    computed = { phase: 'Ready' };
    await settle(true);
    expect(applied).toEqual(['7', '8']);
  });

  it('writes what changes at each probe of a settled agent three times, then every five minutes, and the last in the end', async () => {
    let now = Date.parse('2026-01-01T01:00:00Z');
    let message = '';
    const status = (): ComputedStatus => ({
      phase: 'Ready',
      conditions: [{ type: 'GatewaysReady', status: 'False', reason: 'PlatformsNotConnected', ...AT, message }],
    });
    const said: string[] = [];
    const { cache, reconciler } = harness({
      now: () => now,
      compute: () => ({ status: status() }),
      stores: (base) => {
        said.push(message);
        return { ...agent({ version: `${base}1` }), status: { ...status() } };
      },
    });
    cache.agents.upsert({ ...agent(), status: { ...status() } });
    const outcomes: unknown[] = [];
    for (message of ['a', 'b', 'c', 'd', 'e']) {
      outcomes.push(await reconciler.reconcile(KEY));
      now += 30_000;
    }
    const wrote = { kind: 'settled', wrote: true };
    const held = (recheckAfterMs: number): object => ({ kind: 'settled', wrote: false, recheckAfterMs });
    expect(outcomes).toEqual([wrote, wrote, wrote, held(210_000), held(180_000)]);
    now += 150_000;
    expect([await reconciler.reconcile(KEY), await reconciler.reconcile(KEY)]).toEqual([
      wrote,
      { kind: 'settled', wrote: false },
    ]);
    expect(said).toEqual(['a', 'b', 'c', 'e']);
  });

  it('lets a clock that was set back hold up what used up its allowance for ten minutes, and not until it is there again', async () => {
    let now = Date.parse('2026-01-02T00:00:00Z');
    let computed: ComputedStatus = { phase: 'Ready' };
    const { cache, reconciler, applied } = harness({
      now: () => now,
      compute: () => ({ status: computed }),
      stores: (base) => ({ ...agent({ version: `${base}1` }), status: { ...computed } }),
    });
    cache.agents.upsert({ ...agent(), status: { ...computed } });
    const settle = (): Promise<unknown> => reconciler.reconcile(KEY);
    for (const activeSessions of [1, 2, 3]) {
      computed = { phase: 'Ready', activeSessions } as ComputedStatus;
      await settle();
    }
    expect(applied.length).toBe(3);
    computed = { phase: 'Ready', activeSessions: 4 } as ComputedStatus;
    now -= 3_600_000;
    expect(await settle()).toEqual({ kind: 'settled', wrote: false, recheckAfterMs: 600_000 });
    now += 600_000;
    expect(await settle()).toEqual({ kind: 'settled', wrote: true });
  });

  it('does not count agents that have waited for an hour among those that come up together', async () => {
    let now = Date.parse('2026-01-01T00:00:00Z');
    const { cache, reconciler } = harness({
      now: () => now,
      compute: ({ agent: { metadata } }) => ({
        status: metadata.name === 'mina' ? { phase: 'Provisioning' } : onItsWay('SecretNotFound'),
      }),
      stores: () => ({ ...agent(), status: { ...onItsWay('SecretNotFound') } }),
    });
    for (let i = 0; i < 100; i++) {
      const { metadata, spec } = agent();
      cache.agents.upsert({ metadata: { ...metadata, name: `stuck-${i}` }, spec });
      await reconciler.reconcile(`lab/stuck-${i}`);
    }
    cache.agents.upsert(agent());
    expect(await reconciler.reconcile(KEY)).toEqual({ kind: 'settled', wrote: false, recheckAfterMs: 10_000 });
    now += 3_600_000;
    const { metadata, spec } = agent({ version: '2' });
    cache.agents.upsert({ metadata: { ...metadata, creationTimestamp: '2026-01-01T01:00:00Z' }, spec });
    expect(await reconciler.reconcile(KEY)).toEqual({ kind: 'settled', wrote: false, recheckAfterMs: 2000 });
  });

  it('passes on when to look again', async () => {
    const { cache, reconciler } = harness({ compute: () => ({ status: { phase: 'Ready' }, recheckAfterMs: 300 }) });
    cache.agents.upsert(agent({ phase: 'Ready' }));
    expect(await reconciler.reconcile(KEY)).toEqual({ kind: 'settled', wrote: false, recheckAfterMs: 300 });
  });

  it('reads the agent again after a conflict, and computes from that', async () => {
    const live = agent({ version: '9', phase: 'Bootstrap' });
    const { cache, reconciler, applied, observed } = harness({
      writes: [statusError(409), agent({ version: '10', phase: 'Ready' })],
      live,
    });
    cache.agents.upsert(agent({ version: '7' }));
    expect(await reconciler.reconcile(KEY)).toEqual({ kind: 'settled', wrote: true });
    expect(applied).toEqual(['7', '9']);
    expect(observed.map((one) => one.agent.status?.phase)).toEqual([undefined, 'Bootstrap']);
  });

  it('computes anew for an agent that was deleted and created again meanwhile', async () => {
    const live = agent({ version: '9', uid: 'u2' });
    const { cache, reconciler, observed } = harness({
      writes: [statusError(409), agent({ version: '10', uid: 'u2', phase: 'Ready' })],
      live,
    });
    cache.agents.upsert(agent({ version: '7', phase: 'Degraded' }));
    await reconciler.reconcile(KEY);
    expect(observed.map((one) => [one.agent.metadata.uid, one.agent.status?.phase])).toEqual([
      ['u1', 'Degraded'],
      ['u2', undefined],
    ]);
  });

  it.each([
    { title: 'is gone after a conflict', writes: [statusError(409)] },
    { title: 'is gone at the write', writes: [statusError(404)] },
  ])('lets an agent be that $title', async ({ writes }) => {
    const { cache, reconciler } = harness({ writes });
    cache.agents.upsert(agent());
    expect(await reconciler.reconcile(KEY)).toEqual({ kind: 'gone' });
  });

  it.each([statusError(422), statusError(500), new KubeConnectionError('timed out')])(
    'fails with what the server said: %s',
    async (error) => {
      const { cache, reconciler, series } = harness({ writes: [error] });
      cache.agents.upsert(agent());
      expect(await reconciler.reconcile(KEY)).toEqual({ kind: 'failed', error });
      expect([...series]).toEqual(['mina Ready']);
    },
  );

  it.each([
    {
      code: 422,
      want: ['Warning InvalidSpec: the API server takes no status until the spec is put right: spec.storage'],
    },
    { code: 500, want: [] },
  ])('tells the owner of an agent by an event when its status is refused for good: $code', async ({ code, want }) => {
    const ready = {
      type: 'Ready',
      status: 'False',
      reason: 'InvalidSpec',
      message: 'spec.storage',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    } as const;
    const compute = (): { status: ComputedStatus } => ({ status: { phase: 'Degraded', conditions: [ready] } });
    const { cache, reconciler, events } = harness({ compute, writes: [statusError(code)] });
    cache.agents.upsert(agent());
    expect((await reconciler.reconcile(KEY)).kind).toBe('failed');
    expect(events).toEqual(want);
  });

  it('fails instead of throwing when a rule does', async () => {
    const error = new TypeError('no rule for this');
    const compute = (): never => {
      throw error;
    };
    const { cache, reconciler } = harness({ compute });
    cache.agents.upsert(agent());
    expect(await reconciler.reconcile(KEY)).toEqual({ kind: 'failed', error });
  });

  it('takes the series of an agent away that is gone', async () => {
    const { cache, reconciler, series } = harness();
    cache.agents.upsert(agent({ phase: 'Ready' }));
    await reconciler.reconcile(KEY);
    cache.agents.remove(agent());
    expect(await reconciler.reconcile(KEY)).toEqual({ kind: 'gone' });
    expect([...series]).toEqual([]);
  });

  it('does not bring series back when the agent goes while its Secrets are read', async () => {
    const { cache, reconciler, applied, series } = harness({
      whileReading: (store) => {
        store.agents.remove(agent());
      },
    });
    cache.agents.upsert(agent());
    expect(await reconciler.reconcile(KEY)).toEqual({ kind: 'again', afterMs: 0 });
    expect([applied, [...series]]).toEqual([[], []]);
  });

  it('finalizes an agent that is being deleted, and writes no status for it', async () => {
    const calls: string[] = [];
    const finalizer: AgentFinalizer = {
      ensure: () => Promise.reject(new Error('never for one that is being deleted')),
      finalize: ({ metadata }) => {
        calls.push(metadata.name);
        return Promise.resolve({ kind: 'again', afterMs: 500 });
      },
    };
    const { cache, reconciler, applied } = harness({ finalizer });
    cache.agents.upsert(agent({ deleted: true }));
    expect(await reconciler.reconcile(KEY)).toEqual({ kind: 'again', afterMs: 500 });
    expect([calls, applied]).toEqual([['mina'], []]);
  });

  it('shows the rules what the cluster holds', async () => {
    const spec = {
      rbac: {
        roleBindings: [{ namespace: 'lab', roleRef: { kind: 'Role', name: 'writer' } }],
        clusterRoleBindings: [{ roleRef: { kind: 'ClusterRole', name: 'reader' } }],
      },
    };
    const { cache, reconciler, observed } = harness();
    cache.agents.upsert(agent({ phase: 'Ready', spec }));
    await reconciler.reconcile(KEY);
    expect(observed).toEqual([
      {
        agent: agent({ phase: 'Ready', spec }),
        problems: [],
        specDigest: 'v1:d',
        replicaSets: [],
        pods: [],
        children: [],
        secrets: new Map([['tokens', { state: 'missing' }]]),
        bindings: { state: 'read', items: [] },
        roles: new Map([
          ['Role/lab/writer', { state: 'missing' }],
          ['ClusterRole//reader', { state: 'missing' }],
        ]),
        gates: { allowedClusterRoles: ['reader'], allowedBindingNamespaces: [] },
      },
    ]);
  });

  it('says so where it may not look', async () => {
    const spec = {
      rbac: {
        roleBindings: [{ namespace: 'other', roleRef: { kind: 'Role', name: 'writer' } }],
        clusterRoleBindings: [{ roleRef: { kind: 'ClusterRole', name: 'reader' } }],
      },
    };
    const { cache, reconciler, observed } = harness({ namespaces: ['lab'] });
    cache.agents.upsert(agent({ phase: 'Ready', spec }));
    await reconciler.reconcile(KEY);
    expect(observed[0]?.bindings).toEqual({
      state: 'unreadable',
      message: 'bindings of namespace other, the cluster are not watched',
    });
    expect(observed[0]?.roles?.get('ClusterRole//reader')).toEqual({
      state: 'unreadable',
      message: 'ClusterRole//reader is not watched',
    });
  });

  it.each([null, 'text', [], { rbac: null }, { rbac: { roleBindings: {}, clusterRoleBindings: [null, 3, {}] } }])(
    'bears a spec that no schema would let in: %j',
    async (spec) => {
      const { cache, reconciler } = harness();
      cache.agents.upsert({ ...agent({ phase: 'Ready' }), spec });
      expect(await reconciler.reconcile(KEY)).toEqual({ kind: 'settled', wrote: false });
    },
  );
});
