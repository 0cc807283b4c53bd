import { describe, expect, it } from 'vitest';
import type { AgentFinalizer } from '../../../../controller/finalize/agent-finalizer.js';
import { KubeConnectionError } from '../../../../controller/kube/errors.js';
import type { ComputedStatus } from '../../../../controller/reconcile/agent.js';
import { agent, KEY, reconciledAgent, statusError } from '../../../support/reconciled-agent.js';

describe('AgentReconciler', () => {
  it('writes what differs, on the state that it read', async () => {
    const { cache, reconciler, applied, events, series } = reconciledAgent({
      writes: [agent({ version: '8', phase: 'Ready' })],
    });
    cache.agents.upsert(agent({ version: '7', phase: 'Provisioning' }));
    expect(await reconciler.reconcile(KEY)).toEqual({ kind: 'settled', wrote: true });
    expect(applied).toEqual(['7']);
    expect(events).toEqual(['Normal Ready: Provisioning -> Ready: ']);
    expect([...series]).toEqual(['mina Ready']);
  });

  it('judges by what it wrote before the watch has said so', async () => {
    const { cache, reconciler, applied } = reconciledAgent({ writes: [agent({ version: '8', phase: 'Ready' })] });
    cache.agents.upsert(agent({ version: '7' }));
    await reconciler.reconcile(KEY);
    expect(await reconciler.reconcile(KEY)).toEqual({ kind: 'settled', wrote: false });
    expect(applied).toEqual(['7']);
  });

  it('writes nothing for a settled agent, however often it looks', async () => {
    const { cache, reconciler, applied, events, series } = reconciledAgent();
    cache.agents.upsert(agent({ phase: 'Ready' }));
    for (let i = 0; i < 20; i++) expect(await reconciler.reconcile(KEY)).toEqual({ kind: 'settled', wrote: false });
    expect(applied).toEqual([]);
    expect(events).toEqual([]);
    expect([...series]).toEqual(['mina Ready']);
  });

  it('does not write the same again when the server stores it in another form', async () => {
    const { cache, reconciler, applied } = reconciledAgent({ writes: [agent({ version: '8', phase: 'Else' })] });
    cache.agents.upsert(agent({ version: '7' }));
    await reconciler.reconcile(KEY);
    await reconciler.reconcile(KEY);
    expect(applied).toEqual(['7']);
  });

  it('passes on when to look again', async () => {
    const { cache, reconciler } = reconciledAgent({
      compute: () => ({ status: { phase: 'Ready' }, recheckAfterMs: 300 }),
    });
    cache.agents.upsert(agent({ phase: 'Ready' }));
    expect(await reconciler.reconcile(KEY)).toEqual({ kind: 'settled', wrote: false, recheckAfterMs: 300 });
  });

  it('reads the agent again after a conflict, and computes from that', async () => {
    const live = agent({ version: '9', phase: 'Bootstrap' });
    const { cache, reconciler, applied, observed } = reconciledAgent({
      writes: [statusError(409), agent({ version: '10', phase: 'Ready' })],
      live,
    });
    cache.agents.upsert(agent({ version: '7' }));
    expect(await reconciler.reconcile(KEY)).toEqual({ kind: 'settled', wrote: true });
    expect(applied).toEqual(['7', '9']);
    expect(observed.map((one) => one.agent.status?.phase)).toEqual([undefined, 'Bootstrap']);
  });

  it('leaves an agent that was created again meanwhile to the watch', async () => {
    const former = agent({ version: '7', phase: 'Degraded' });
    const { cache, reconciler, applied } = reconciledAgent({
      writes: [statusError(409)],
      live: agent({ version: '9', uid: 'u2' }),
    });
    cache.agents.upsert(former);
    expect(await reconciler.reconcile(KEY)).toEqual({ kind: 'gone' });
    expect(applied).toEqual(['7']);
    expect(cache.agents.get(KEY)).toBe(former);
  });

  it('keeps an agent out that went while it was read again', async () => {
    const live = agent({ version: '9' });
    const { cache, reconciler, applied, series } = reconciledAgent({
      writes: [statusError(409)],
      live,
      whileReadingAgain: ({ agents }) => {
        agents.remove(live);
      },
    });
    cache.agents.upsert(agent({ version: '7' }));
    expect(await reconciler.reconcile(KEY)).toEqual({ kind: 'gone' });
    expect(applied).toEqual(['7']);
    expect(cache.agents.size).toBe(0);
    await reconciler.reconcile(KEY);
    expect([...series]).toEqual([]);
  });

  it('leaves an agent that turns out to be going to the pass that its change brings', async () => {
    const { cache, reconciler, changed } = reconciledAgent({
      writes: [statusError(409)],
      live: agent({ version: '9', deleted: true }),
    });
    cache.agents.upsert(agent({ version: '7' }));
    changed.length = 0;
    expect(await reconciler.reconcile(KEY)).toEqual({ kind: 'settled', wrote: false });
    expect(changed).toEqual([KEY]);
  });

  it.each([
    { title: 'is gone after a conflict', writes: [statusError(409)] },
    { title: 'is gone at the write', writes: [statusError(404)] },
  ])('lets an agent be that $title', async ({ writes }) => {
    const { cache, reconciler } = reconciledAgent({ writes });
    cache.agents.upsert(agent());
    expect(await reconciler.reconcile(KEY)).toEqual({ kind: 'gone' });
  });

  it.each([statusError(422), statusError(500), new KubeConnectionError('timed out')])(
    'fails with what the server said: %s',
    async (error) => {
      const { cache, reconciler, series } = reconciledAgent({ writes: [error] });
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
    const { cache, reconciler, events } = reconciledAgent({ compute, writes: [statusError(code)] });
    cache.agents.upsert(agent());
    expect((await reconciler.reconcile(KEY)).kind).toBe('failed');
    expect(events).toEqual(want);
  });

  it('fails instead of throwing when a rule does', async () => {
    const error = new TypeError('no rule for this');
    const compute = (): never => {
      throw error;
    };
    const { cache, reconciler } = reconciledAgent({ compute });
    cache.agents.upsert(agent());
    expect(await reconciler.reconcile(KEY)).toEqual({ kind: 'failed', error });
  });

  it('takes the series of an agent away that is gone', async () => {
    const { cache, reconciler, series } = reconciledAgent();
    cache.agents.upsert(agent({ phase: 'Ready' }));
    await reconciler.reconcile(KEY);
    cache.agents.remove(agent());
    expect(await reconciler.reconcile(KEY)).toEqual({ kind: 'gone' });
    expect([...series]).toEqual([]);
  });

  it('does not bring series back when the agent goes while its Secrets are read', async () => {
    const { cache, reconciler, applied, changed, series } = reconciledAgent({
      whileReading: (store) => {
        store.agents.remove(agent());
      },
    });
    cache.agents.upsert(agent());
    expect(await reconciler.reconcile(KEY)).toEqual({ kind: 'gone' });
    expect([applied, [...series]]).toEqual([[], []]);
    // The second one brings the pass that lets go of everything else.
    expect(changed).toEqual([KEY, KEY]);
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
    const { cache, reconciler, applied } = reconciledAgent({ finalizer });
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
    const { cache, reconciler, observed } = reconciledAgent();
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
    const { cache, reconciler, observed } = reconciledAgent({ namespaces: ['lab'] });
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
      const { cache, reconciler } = reconciledAgent();
      cache.agents.upsert({ ...agent({ phase: 'Ready' }), spec });
      expect(await reconciler.reconcile(KEY)).toEqual({ kind: 'settled', wrote: false });
    },
  );
});
