import { describe, expect, it } from 'vitest';
import type { Condition } from '../../../../controller/kube/objects.js';
import {
  allowanceWaitMs,
  believableSpent,
  type SmallChange,
  smallChange,
  spend,
  type Spent,
} from '../../../../controller/reconcile/write-allowance.js';

const MINUTE = 60_000;
const PROBE = MINUTE / 2;

const condition = (type: string, status: Condition['status'], reason = 'R', message = ''): Condition => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: '2026-01-01T00:00:00Z',
});

const ready = condition('Ready', 'True');
const gateways = (status: Condition['status'], reason = 'R', message = ''): readonly Condition[] => [
  ready,
  condition('GatewaysReady', status, reason, message),
];

describe('what a small change tells', () => {
  it.each<[string, readonly Condition[], readonly Condition[], SmallChange]>([
    ['True, then False', gateways('True'), gateways('False'), 'urgent'],
    ['True, then Unknown', gateways('True'), gateways('Unknown'), 'urgent'],
    ['Unknown, then False', gateways('Unknown'), gateways('False'), 'urgent'],
    ['nothing, then Unknown', [ready], gateways('Unknown'), 'urgent'],
    ['False, then Unknown', gateways('False'), gateways('Unknown'), 'turn'],
    ['False, then True', gateways('False'), gateways('True'), 'turn'],
    ['False, then nothing', gateways('False'), [ready], 'turn'],
    ['nothing, then True', [ready], gateways('True'), 'turn'],
    ['another reason', gateways('False', 'A'), gateways('False', 'B'), 'turn'],
    ['another message', gateways('False', 'A', 'a'), gateways('False', 'A', 'b'), 'detail'],
    ['no condition', gateways('True'), gateways('True'), 'detail'],
    [
      'RBACSynced Unknown, then True',
      [condition('RBACSynced', 'Unknown')],
      [condition('RBACSynced', 'True')],
      'urgent',
    ],
    [
      'ManifestsCurrent False, then Unknown',
      [condition('ManifestsCurrent', 'False')],
      [condition('ManifestsCurrent', 'Unknown')],
      'urgent',
    ],
    [
      'RBACSynced False for another reason',
      [condition('RBACSynced', 'False', 'A')],
      [condition('RBACSynced', 'False', 'B')],
      'turn',
    ],
    [
      'one better, one worse',
      [condition('SecretsResolved', 'Unknown'), ...gateways('True')],
      [condition('SecretsResolved', 'True'), ...gateways('False')],
      'urgent',
    ],
  ])('%s', (...[, stored, desired, want]) => {
    expect(smallChange(stored, desired)).toBe(want);
  });
});

/**
 * When something is written, in minutes from the first probe, where the answer of each probe is `answers` in turns and
 * what is held back is looked at again when it is due.
 */
function writeTimes(
  answers: readonly (readonly Condition[])[],
  { untilMs, lastProbeMs = untilMs }: { readonly untilMs: number; readonly lastProbeMs?: number },
): { readonly written: readonly number[]; readonly stored: readonly Condition[] } {
  const written: number[] = [];
  let stored = answers.at(-1) ?? [];
  let spent: Spent | undefined;
  for (let now = 0; now < untilMs; now += PROBE / 10) {
    const probe = Math.floor(Math.min(now, lastProbeMs) / PROBE);
    const desired = answers[probe % answers.length] ?? [];
    if (JSON.stringify(desired) === JSON.stringify(stored)) continue;
    const change = smallChange(stored, desired);
    if (allowanceWaitMs(change, spent, now) > 0) continue;
    spent = spend(change, spent, now);
    stored = desired;
    written.push(now / MINUTE);
  }
  return { written, stored };
}

describe('the small changes of an agent', () => {
  const texts = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((text) => gateways('False', 'R', text));

  it('are written three times at once, and then every five minutes', () => {
    expect(writeTimes(texts, { untilMs: 31 * MINUTE }).written).toEqual([0, 0.5, 1, 5, 10, 15, 20, 25, 30]);
  });

  it('end with the last one', () => {
    const { written, stored } = writeTimes(texts, { untilMs: 20 * MINUTE, lastProbeMs: 2 * MINUTE });
    expect(written).toEqual([0, 0.5, 1, 5]);
    expect(stored).toEqual(gateways('False', 'R', 'e'));
  });

  it('show the loss of a gateway that comes and goes at once, and in the long run cost no more', () => {
    const flapping = [gateways('False'), gateways('True')];
    const { written } = writeTimes(flapping, { untilMs: 61 * MINUTE });
    expect(written.slice(0, 6)).toEqual([0, 0.5, 1, 5.5, 6, 15.5]);
    expect(written.length).toBe(15);
  });

  it('of one kind do not hold back the other', () => {
    const spent = texts.reduce<Spent | undefined>((sum) => spend('detail', sum, 0), undefined);
    expect(allowanceWaitMs('detail', spent, 0)).toBe(10 * MINUTE);
    expect(allowanceWaitMs('turn', spent, 0)).toBe(0);
    expect(allowanceWaitMs('detail', spend('urgent', undefined, 0), 0)).toBe(0);
  });

  it.each([
    [1, 0],
    [2, 0],
    [3, 5 * MINUTE],
    [4, 10 * MINUTE],
    [9, 10 * MINUTE],
  ])('that get better wait no longer than ten minutes: after %i that were urgent', (times, want) => {
    let spent: Spent | undefined;
    for (let i = 0; i < times; i++) spent = spend('urgent', spent, 0);
    expect(allowanceWaitMs('urgent', spent, 0)).toBe(0);
    expect(allowanceWaitMs('turn', spent, 0)).toBe(want);
  });

  it('have all of their allowance again after a quarter of an hour', () => {
    const spent = ['detail', 'detail', 'detail'].reduce<Spent | undefined>((sum) => spend('detail', sum, 0), undefined);
    expect(allowanceWaitMs('detail', spent, 5 * MINUTE)).toBe(0);
    const later = [1, 2, 3]
      .map(() => 15 * MINUTE)
      .reduce<Spent | undefined>((sum, at) => spend('detail', sum, at), spent);
    expect(later?.details).toBe(30 * MINUTE);
  });

  it('wait no longer because a clock was set back', () => {
    const spent = spend('detail', undefined, 1_000 * MINUTE);
    const believed = believableSpent(spent, 0);
    expect(believed).toEqual({ turns: 20 * MINUTE, details: 20 * MINUTE });
    expect(allowanceWaitMs('detail', believed, 0)).toBe(10 * MINUTE);
    expect(spend('detail', spent, 0).details).toBe(20 * MINUTE);
  });
});
