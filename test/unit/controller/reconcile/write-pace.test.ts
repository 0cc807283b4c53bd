import { describe, expect, it } from 'vitest';
import type { Condition } from '../../../../controller/kube/objects.js';
import { holdBackMs, type PacedStatus, spentBy } from '../../../../controller/reconcile/write-pace.js';

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

/** A minute after the conditions of this file took their status. */
const NOW = Date.parse('2026-01-01T00:01:00Z');
const MINUTE = 60_000;

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
    const context = { sinceWriteMs: since, sinceDifferentMs: 60_000, ageMs: 60_000, onTheirWay: 1, now: NOW };
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
    const context = { sinceWriteMs: since, sinceDifferentMs: different, ageMs: 60_000, onTheirWay: 1, now: NOW };
    expect(holdBackMs(STORED, desired, context)).toBe(want);
  });

  it.each([
    [10, 2000],
    [11, 2200],
    [50, 10_000],
    [5000, 10_000],
  ])('waits so longer where more agents come up together: %i', (onTheirWay, want) => {
    const context = { sinceWriteMs: undefined, sinceDifferentMs: 0, ageMs: 60_000, onTheirWay, now: NOW };
    expect(holdBackMs(STORED, NEXT_STATUS, context)).toBe(want);
  });

  it.each([
    [50, 9000],
    [51, 9200],
    [300, 59_000],
    [5000, 59_000],
  ])('waits longer where more agents come up together: %i', (onTheirWay, want) => {
    const context = { sinceWriteMs: 1000, sinceDifferentMs: 60_000, ageMs: 60_000, onTheirWay, now: NOW };
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
    const context = { sinceWriteMs: undefined, sinceDifferentMs: 0, ageMs, onTheirWay: 1, now: NOW };
    expect(holdBackMs(stored, desired, context)).toBe(want);
  });

  it.each([
    [10, 1700],
    [11, 1900],
    [50, 9700],
    [5000, 9700],
  ])('waits longer for the first status where more agents are new: %i', (onTheirWay, want) => {
    const context = { sinceWriteMs: undefined, sinceDifferentMs: 0, ageMs: 300, onTheirWay, now: NOW };
    expect(holdBackMs(undefined, STORED, context)).toBe(want);
  });
});

describe('a small change of a settled agent', () => {
  const ready = condition('Ready', 'True');
  const up = condition('GatewaysReady', 'True', 'AllPlatformsConnected');
  const down = condition('GatewaysReady', 'False', 'PlatformsNotConnected');
  const connected = status('Ready', 1, [ready, up]);
  const partly = status('Ready', 1, [ready, down]);
  const worded = status('Ready', 1, [ready, { ...down, message: 'discord=retrying' }]);
  /** Five minutes each. */
  const spent = { turns: NOW + 15 * MINUTE, details: NOW + 15 * MINUTE };
  const context = { sinceWriteMs: 1000, sinceDifferentMs: 0, ageMs: MINUTE, onTheirWay: 1, now: NOW };
  const inNoTime = [ready, condition('Reconciling', 'True', 'SecretNotFound')];
  const waiting = status('Bootstrap', 1, [...inNoTime, up]);
  const waitingOn = status('Bootstrap', 1, [...inNoTime, { ...up, message: 'not declared: irc' }]);

  it.each<[string, PacedStatus, PacedStatus, number]>([
    ['waits while the allowance is used up', partly, worded, 5 * MINUTE],
    ['waits so with a condition that gets better', partly, connected, 5 * MINUTE],
    ['does not wait with a condition that gets worse', connected, partly, 0],
    ['does not wait with another phase', partly, status('Degraded', 1, [ready, down]), 0],
    ['does not wait with another generation', partly, status('Ready', 2, [ready, up]), 0],
    ['does not wait when Ready changes', partly, status('Ready', 1, [condition('Ready', 'False'), down]), 0],
    ['does not wait when Stalled comes', partly, status('Ready', 1, [ready, down, condition('Stalled', 'True')]), 0],
  ])('%s', (...[, stored, desired, want]) => {
    expect(holdBackMs(stored, desired, { ...context, spent })).toBe(want);
    expect(holdBackMs(stored, desired, context)).toBe(0);
  });

  it.each([
    [14 * MINUTE, 9000],
    [15 * MINUTE, 5 * MINUTE],
    [-MINUTE, 9000],
  ])('is one of an agent that has been on its way for a quarter of an hour, too: %i', (onItsWayForMs, want) => {
    const now = NOW - MINUTE + onItsWayForMs;
    const later = { turns: now + 15 * MINUTE, details: now + 15 * MINUTE };
    expect(holdBackMs(waiting, waitingOn, { ...context, sinceDifferentMs: MINUTE, now, spent: later })).toBe(want);
  });

  it.each<[string, PacedStatus, PacedStatus, object | undefined]>([
    ['costs of its own allowance', partly, worded, { turns: NOW + 15 * MINUTE, details: NOW + 20 * MINUTE }],
    ['costs when a condition turns', partly, connected, { turns: NOW + 20 * MINUTE, details: NOW + 15 * MINUTE }],
    ['costs nothing beside what is written at once', partly, status('Degraded', 1, [ready, up]), spent],
    ['costs nothing while the agent is on its way', STORED, NEXT_STATUS, spent],
    ['begins anew with another generation', partly, status('Ready', 2, [ready, up]), undefined],
  ])('%s', (...[, stored, desired, want]) => {
    expect(spentBy(stored, desired, { spent, now: NOW })).toEqual(want);
  });

  it('is none of a status that nobody can read', () => {
    const broken = { phase: 'Ready', observedGeneration: 1, conditions: 'none' } as unknown as PacedStatus;
    const holes = { ...broken, conditions: [null, ready] } as unknown as PacedStatus;
    expect(holdBackMs(holes, connected, { ...context, spent })).toBe(5 * MINUTE);
    expect(holdBackMs(broken, connected, { ...context, spent })).toBe(0);
  });
});
