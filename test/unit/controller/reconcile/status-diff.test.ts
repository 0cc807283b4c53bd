import { describe, expect, it } from 'vitest';
import { AGENT } from '../../../../controller/kube/agent-kind.js';
import type { Condition, StoredAgentStatus } from '../../../../controller/kube/objects.js';
import { ownStatus } from '../../../../controller/kube/own-status.js';
import { differs } from '../../../../controller/reconcile/status-diff.js';

function condition(type: string, parts: Partial<Condition> = {}): Condition {
  return { type, status: 'True', reason: 'R', message: 'm', lastTransitionTime: '2026-01-01T00:00:00Z', ...parts };
}

const STORED: StoredAgentStatus = {
  observedGeneration: 2,
  phase: 'Ready',
  gateways: [{ type: 'discord', ready: true, lastProbedAt: '2026-01-01T00:00:00Z' }],
  conditions: [condition('PodReady'), condition('Ready'), condition('example.org/Audited')],
  foreign: 'kept',
};

describe('differs', () => {
  it.each<{ title: string; desired: Record<string, unknown>; want: boolean }>([
    { title: 'the same', desired: { ...STORED }, want: false },
    {
      title: 'without what others own',
      desired: { ...ownStatus({ ...STORED }, AGENT.status), foreign: undefined },
      want: false,
    },
    {
      title: 'another order of conditions',
      desired: { ...STORED, conditions: [...(STORED.conditions ?? [])].reverse() },
      want: false,
    },
    { title: 'a field absent that is absent', desired: { ...STORED, podName: undefined }, want: false },
    {
      title: 'a later probe alone',
      desired: { ...STORED, gateways: [{ type: 'discord', ready: true, lastProbedAt: '2026-02-02T00:00:00Z' }] },
      want: false,
    },
    {
      title: 'a gateway that went away',
      desired: { ...STORED, gateways: [{ type: 'discord', ready: false, lastProbedAt: '2026-01-01T00:00:00Z' }] },
      want: true,
    },
    { title: 'another phase', desired: { ...STORED, phase: 'Degraded' }, want: true },
    { title: 'a new field', desired: { ...STORED, podName: 'p' }, want: true },
    { title: 'a field that goes', desired: { ...STORED, gateways: undefined }, want: true },
    { title: 'a condition that goes', desired: { ...STORED, conditions: [condition('Ready')] }, want: true },
    {
      title: 'another message alone',
      desired: { ...STORED, conditions: [condition('PodReady', { message: 'n' }), condition('Ready')] },
      want: true,
    },
  ])('is $want for $title', ({ desired, want }) => {
    expect(differs(STORED, desired, AGENT.status)).toBe(want);
  });

  it('is true for a status that was never written', () => {
    expect(differs(undefined, { phase: 'Ready' }, AGENT.status)).toBe(true);
    expect(differs({ observedGeneration: -1 }, { observedGeneration: 1 }, AGENT.status)).toBe(true);
  });

  it.each([{ conditions: null }, { conditions: 'x' }, { conditions: [null, 7] }])(
    'bears stored conditions that are none: %j',
    (stored) => {
      expect(differs(stored as never, { conditions: [condition('Ready')] }, AGENT.status)).toBe(true);
    },
  );
});

describe('ownStatus', () => {
  it('leaves conditions and fields of other owners out of what is applied', () => {
    const { observedGeneration, phase, gateways } = STORED;
    const conditions = [condition('PodReady'), condition('Ready')];
    expect(ownStatus({ ...STORED }, AGENT.status)).toEqual({ observedGeneration, phase, gateways, conditions });
  });
});
