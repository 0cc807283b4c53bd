import { describe, expect, it } from 'vitest';
import type { ComputedStatus } from '../../../../controller/reconcile/agent.js';
import { agent, AT, KEY, onItsWay, reconciledAgent } from '../../../support/reconciled-agent.js';

describe('the pace of an AgentReconciler', () => {
  it('holds back a minor change right after a write, while the agent is on its way', async () => {
    const computed = [onItsWay('PodNotReady'), onItsWay('ContainerCreating')];
    const { cache, reconciler, applied } = reconciledAgent({
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
    const { cache, reconciler, applied } = reconciledAgent({
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
    const { cache, reconciler } = reconciledAgent({
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
    const { cache, reconciler, applied } = reconciledAgent({
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
    const { cache, reconciler } = reconciledAgent({
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
});
