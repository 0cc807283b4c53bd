import { describe, expect, it } from 'vitest';
import type { Condition } from '../../../../controller/kube/objects.js';
import { holdBackMs, type PacedStatus } from '../../../../controller/reconcile/write-pace.js';

const condition = (type: string, status: Condition['status'], reason = 'R'): Condition => ({
  type,
  status,
  reason,
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
});

const status = (phase: string, observedGeneration: number, conditions: readonly Condition[]): PacedStatus => ({
  phase,
  observedGeneration,
  conditions,
});

const NOT_READY = condition('Ready', 'False');
const ON_ITS_WAY = condition('Reconciling', 'True');
const STORED = status('Provisioning', 1, [NOT_READY, ON_ITS_WAY, condition('PodReady', 'False', 'PodNotReady')]);
const NEXT = [NOT_READY, ON_ITS_WAY, condition('PodReady', 'True')];
const NEXT_STATUS = status('Provisioning', 1, NEXT);

describe('a write of a status', () => {
  it.each<[string, PacedStatus | undefined, PacedStatus, number | undefined, number]>([
    ['holds back a minor change while the agent is on its way', STORED, NEXT_STATUS, 1000, 9000],
    ['holds it back no longer than ten seconds', STORED, NEXT_STATUS, 10_000, 0],
    ['does not wait after a long silence', STORED, NEXT_STATUS, 3_600_000, 0],
    ['does not wait for a write that another process made', STORED, NEXT_STATUS, undefined, 0],
    ['does not wait with another phase', STORED, status('Ready', 1, NEXT), 0, 0],
    ['does not wait with another generation', STORED, status('Provisioning', 2, NEXT), 0, 0],
    [
      'does not wait when Ready changes',
      STORED,
      status('Provisioning', 1, [condition('Ready', 'True'), ON_ITS_WAY]),
      0,
      0,
    ],
    ['does not wait when Reconciling goes', STORED, status('Provisioning', 1, [NOT_READY]), 0, 0],
    [
      'does not wait when Stalled comes',
      STORED,
      status('Provisioning', 1, [...NEXT, condition('Stalled', 'True')]),
      0,
      0,
    ],
    [
      'does not wait when the agent is not on its way',
      status('Ready', 1, [condition('Ready', 'True')]),
      status('Ready', 1, [condition('Ready', 'True', 'Other')]),
      0,
      0,
    ],
    ['does not wait for the first status that this process sees', undefined, STORED, 0, 0],
    ['does not trust a clock that was set back', STORED, NEXT_STATUS, -60_000, 0],
  ])('%s', (...[, stored, desired, since, want]) => {
    const context = { sinceWriteMs: since, sinceDifferentMs: 60_000, ageMs: 60_000, onTheirWay: 1 };
    expect(holdBackMs(stored, desired, context)).toBe(want);
  });

  it.each<[string, PacedStatus, { readonly since: number | undefined; readonly different: number }, number]>([
    ['waits for what may follow a minor change at once', NEXT_STATUS, { since: 3_600_000, different: 0 }, 2000],
    ['waits so for two seconds', NEXT_STATUS, { since: 3_600_000, different: 2000 }, 0],
    ['waits so after a write that another process made', NEXT_STATUS, { since: undefined, different: 500 }, 1500],
    ['waits for the later of both', NEXT_STATUS, { since: 9000, different: 500 }, 1500],
    ['does not trust a clock that was set back for that', NEXT_STATUS, { since: undefined, different: -60_000 }, 0],
    ['does not wait so with another phase', status('Ready', 1, NEXT), { since: undefined, different: 0 }, 0],
  ])('%s', (...[, desired, { since, different }, want]) => {
    const context = { sinceWriteMs: since, sinceDifferentMs: different, ageMs: 60_000, onTheirWay: 1 };
    expect(holdBackMs(STORED, desired, context)).toBe(want);
  });

  it.each([
    [10, 2000],
    [11, 2200],
    [50, 10_000],
    [5000, 10_000],
  ])('waits so longer where more agents come up together: %i', (onTheirWay, want) => {
    const context = { sinceWriteMs: undefined, sinceDifferentMs: 0, ageMs: 60_000, onTheirWay };
    expect(holdBackMs(STORED, NEXT_STATUS, context)).toBe(want);
  });

  it.each([
    [50, 9000],
    [51, 9200],
    [300, 59_000],
    [5000, 59_000],
  ])('waits longer where more agents come up together: %i', (onTheirWay, want) => {
    const context = { sinceWriteMs: 1000, sinceDifferentMs: 60_000, ageMs: 60_000, onTheirWay };
    expect(holdBackMs(STORED, NEXT_STATUS, context)).toBe(want);
    expect(holdBackMs(STORED, status('Ready', 1, NEXT), context)).toBe(0);
  });

  it.each<[string, PacedStatus | undefined, PacedStatus, number, number]>([
    ['waits for what is applied beside a new agent', undefined, STORED, 300, 1700],
    ['waits so for the default that the server stores', { observedGeneration: -1 }, STORED, 0, 2000],
    ['waits so for two seconds', undefined, STORED, 2000, 0],
    ['does not wait so once the agent has a phase', STORED, status('Provisioning', 2, NEXT), 300, 0],
    ['does not wait to say that a new agent is broken', undefined, status('Degraded', 1, [NOT_READY]), 300, 0],
    ['does not wait to name what a new agent lacks', undefined, status('Bootstrap', 1, [NOT_READY]), 300, 0],
    ['does not wait to say that a new agent is Ready', undefined, status('Ready', 1, []), 300, 0],
    ['does not wait for an agent that seems to come from the future', undefined, STORED, -5000, 0],
    ['does not wait for one of no known age', undefined, STORED, Number.NaN, 0],
  ])('%s', (...[, stored, desired, ageMs, want]) => {
    const context = { sinceWriteMs: undefined, sinceDifferentMs: 0, ageMs, onTheirWay: 1 };
    expect(holdBackMs(stored, desired, context)).toBe(want);
  });

  it.each([
    [10, 1700],
    [11, 1900],
    [50, 9700],
    [5000, 9700],
  ])('waits longer for the first status where more agents are new: %i', (onTheirWay, want) => {
    const context = { sinceWriteMs: undefined, sinceDifferentMs: 0, ageMs: 300, onTheirWay };
    expect(holdBackMs(undefined, STORED, context)).toBe(want);
  });
});
