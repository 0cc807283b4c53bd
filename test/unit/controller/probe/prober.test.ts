import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { StoredAgent } from '../../../../controller/kube/objects.js';
import { DashboardProber } from '../../../../controller/probe/prober.js';
import type { ProbedPod, ProbeTarget } from '../../../../controller/probe/target.js';

const ANSWER = '{"gateway_running":true,"gateway_platforms":{"discord":{"state":"connected"}}}';
const START = Date.parse('2026-03-01T12:00:00Z');

function agent(name: string, parts: { uid?: string; generation?: number } = {}): StoredAgent {
  const { uid = name, generation = 1 } = parts;
  const metadata = { name, namespace: 'lab', uid, generation, resourceVersion: '1', creationTimestamp: '' };
  return { metadata, spec: {} };
}

const podOf = (name: string, parts: Partial<ProbedPod> = {}): ProbedPod => ({
  uid: `${name}-pod`,
  name: `${name}-pod`,
  createdAt: START - 3_600_000,
  isReady: true,
  address: '127.0.0.1',
  ...parts,
});

const target = (name: string, pod: Partial<ProbedPod> = {}, parts: Parameters<typeof agent>[1] = {}): ProbeTarget => ({
  agent: agent(name, parts),
  gateways: ['discord'],
  pod: podOf(name, pod),
});

/** A probe that waits for its answer. */
interface Asked {
  readonly name: string;
  readonly at: number;
  readonly signal: AbortSignal;
  readonly answer: (text: string) => void;
  readonly fail: (error: Error) => void;
}

function harness(random: () => number = () => 0.5): {
  readonly prober: DashboardProber;
  readonly targets: Map<string, ProbeTarget>;
  readonly asked: Asked[];
  readonly log: string[];
  /** Answers from now on, everybody or those whose names begin so. */
  readonly answerAll: (prefix?: string) => void;
} {
  const targets = new Map<string, ProbeTarget>();
  const asked: Asked[] = [];
  const log: string[] = [];
  let answered: string | undefined;
  const say = (what: string) => (one: StoredAgent) => log.push(`${what} ${one.metadata.name}`);
  const prober = new DashboardProber({
    find: (key) => targets.get(key),
    ask: ({ agent: { metadata } }, signal) =>
      new Promise((resolve, reject) => {
        asked.push({ name: metadata.name, at: Date.now() - START, signal, answer: resolve, fail: reject });
        if (answered !== undefined && metadata.name.startsWith(answered)) resolve(ANSWER);
      }),
    onChange: (key) => log.push(`change ${key}`),
    onAnswer: say('answer'),
    onEnd: (key) => log.push(`end ${key}`),
    counter: { begin: say('begin'), failed: say('failed'), end: say('uncount') },
    now: () => Date.now(),
    intervalMs: 30_000,
    random,
  });
  const answerAll = (prefix = ''): void => {
    answered = prefix;
  };
  return { prober, targets, asked, log, answerAll };
}

function groupBy<T, K>(items: readonly T[], keyOf: (item: T) => K): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

beforeEach(() => {
  vi.useFakeTimers({ now: START, toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
});

afterEach(() => {
  vi.useRealTimers();
});

describe('DashboardProber', () => {
  it('asks nobody who is not to be asked', async () => {
    const { prober, asked, log } = harness();
    expect(prober.observe('lab/mina')).toBeUndefined();
    await vi.advanceTimersByTimeAsync(120_000);
    expect(asked).toEqual([]);
    expect(log).toEqual([]);
  });

  it('asks every 30 seconds, up to a tenth more or less', async () => {
    for (const [random, times] of [
      [0, [0, 27_000, 54_000, 81_000]],
      [0.5, [15_000, 45_000, 75_000, 105_000]],
      [1, [30_000, 63_000, 96_000]],
    ] as const) {
      vi.setSystemTime(START);
      const { prober, targets, asked, answerAll } = harness(() => random);
      answerAll();
      targets.set('lab/mina', target('mina'));
      prober.observe('lab/mina');
      await vi.advanceTimersByTimeAsync(107_000);
      expect(asked.map(({ at }) => Math.floor(at))).toEqual(times);
      prober.stop();
    }
  });

  it('asks a pod that has just come within a second, and then earlier than later', async () => {
    const { prober, targets, asked, answerAll } = harness();
    answerAll();
    targets.set('lab/mina', target('mina', { createdAt: START }));
    prober.observe('lab/mina');
    await vi.advanceTimersByTimeAsync(50_000);
    expect(asked.map(({ at }) => at)).toEqual([500, 17_000, 47_000]);
  });

  it('brings nothing but news', async () => {
    const { prober, targets, log, answerAll } = harness();
    answerAll();
    targets.set('lab/mina', target('mina'));
    expect(prober.observe('lab/mina')).toEqual({ failures: 0 });
    await vi.advanceTimersByTimeAsync(100_000);
    expect(log).toEqual(['begin mina', 'answer mina', 'change lab/mina', 'answer mina', 'answer mina']);
    expect(prober.observe('lab/mina')?.last?.at).toBe(START + 75_000);
  });

  it('ends a probe after 3 seconds and asks again half a minute after it began', async () => {
    const { prober, targets, asked, log } = harness();
    targets.set('lab/mina', target('mina'));
    prober.observe('lab/mina');
    await vi.advanceTimersByTimeAsync(15_000);
    await vi.advanceTimersByTimeAsync(2999);
    expect(asked[0]?.signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(asked[0]?.signal.aborted).toBe(true);
    expect(log).toEqual(['begin mina', 'failed mina', 'change lab/mina']);
    expect(prober.observe('lab/mina')).toEqual({ failures: 1, failure: 'no whole answer within 3 s' });
    await vi.advanceTimersByTimeAsync(27_000);
    expect(asked.map(({ at }) => at)).toEqual([15_000, 45_000]);
  });

  it('says the third failure and no later one, in the words of the third', async () => {
    const { prober, targets, asked, log } = harness();
    targets.set('lab/mina', target('mina'));
    prober.observe('lab/mina');
    await vi.advanceTimersByTimeAsync(15_000);
    for (let count = 1; count <= 5; count++) {
      asked.at(-1)?.fail(Object.assign(new Error('no'), { code: count === 3 ? 'ECONNREFUSED' : 'ECONNRESET' }));
      await vi.advanceTimersByTimeAsync(30_000);
    }
    expect(log.filter((line) => line.startsWith('change'))).toHaveLength(3);
    expect(log.filter((line) => line.startsWith('failed'))).toHaveLength(5);
    expect(prober.observe('lab/mina')).toEqual({ failures: 5, failure: 'connection refused' });
  });

  it('says another cause once it has held three times in a row', async () => {
    const { prober, targets, asked, log } = harness();
    targets.set('lab/mina', target('mina'));
    prober.observe('lab/mina');
    await vi.advanceTimersByTimeAsync(15_000);
    const told: unknown[] = [];
    for (const code of Array.from('AAABBABBBB').map((one) => (one === 'A' ? 'ECONNRESET' : 'ECONNREFUSED'))) {
      asked.at(-1)?.fail(Object.assign(new Error('no'), { code }));
      await vi.advanceTimersByTimeAsync(30_000);
      told.push(prober.observe('lab/mina')?.failure);
    }
    const cut = 'the connection was cut off';
    expect(told).toEqual([...Array<string>(8).fill(cut), 'connection refused', 'connection refused']);
    expect(log.filter((line) => line.startsWith('change'))).toHaveLength(4);
  });

  it('does not hold against a pod what failed before it was ready', async () => {
    const { prober, targets, asked } = harness();
    targets.set('lab/mina', target('mina', { isReady: false, createdAt: START }));
    prober.observe('lab/mina');
    await vi.advanceTimersByTimeAsync(500);
    asked[0]?.fail(new Error('no'));
    await vi.advanceTimersByTimeAsync(0);
    expect(prober.observe('lab/mina')?.failures).toBe(1);
    targets.set('lab/mina', target('mina', { createdAt: START }));
    expect(prober.observe('lab/mina')).toEqual({ failures: 0 });
    await vi.advanceTimersByTimeAsync(500);
    expect(asked.map(({ at }) => at)).toEqual([500, 1000]);
  });

  it.each<[string, ProbeTarget | undefined]>([
    ['deleted, suspended or without a dashboard', undefined],
    ['created again', target('mina', {}, { uid: 'other' })],
    ['reconfigured', target('mina', {}, { generation: 2 })],
    ['given another pod', target('mina', { uid: 'other-pod' })],
    ['given another address', target('mina', { address: '127.0.0.2' })],
  ])('drops an answer for an agent that was %s meanwhile', async (_, changed) => {
    for (const isSeenFirst of [true, false]) {
      const { prober, targets, asked, log } = harness();
      targets.set('lab/mina', target('mina'));
      prober.observe('lab/mina');
      await vi.advanceTimersByTimeAsync(15_000);
      if (changed === undefined) targets.delete('lab/mina');
      else targets.set('lab/mina', changed);
      if (isSeenFirst) prober.observe('lab/mina');
      asked[0]?.answer(ANSWER);
      await vi.advanceTimersByTimeAsync(0);
      expect(log.filter((line) => /^(answer|failed|change)/.test(line))).toEqual([]);
      expect(prober.observe('lab/mina')).toEqual(changed === undefined ? undefined : { failures: 0 });
      await vi.advanceTimersByTimeAsync(30_000);
      expect(asked.length).toBe(changed === undefined ? 1 : 2);
      prober.stop();
    }
  });

  it('keeps the last answer while the spec changes, and asks anew within a second', async () => {
    const { prober, targets, asked, answerAll } = harness();
    answerAll();
    targets.set('lab/mina', target('mina'));
    prober.observe('lab/mina');
    await vi.advanceTimersByTimeAsync(16_000);
    targets.set('lab/mina', target('mina', {}, { generation: 2 }));
    expect(prober.observe('lab/mina')?.last?.at).toBe(START + 15_000);
    await vi.advanceTimersByTimeAsync(1000);
    expect(asked.map(({ at }) => at)).toEqual([15_000, 16_500]);
  });

  it('does not ask a pod without address, and does when it has one', async () => {
    const { prober, targets, asked, answerAll } = harness();
    answerAll();
    const { uid, name, createdAt, isReady } = podOf('mina');
    const pod = { uid, name, createdAt, isReady };
    targets.set('lab/mina', { ...target('mina'), pod });
    prober.observe('lab/mina');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked).toEqual([]);
    targets.set('lab/mina', target('mina'));
    prober.observe('lab/mina');
    await vi.advanceTimersByTimeAsync(1000);
    expect(asked).toHaveLength(1);
    targets.set('lab/mina', { ...target('mina'), pod });
    prober.observe('lab/mina');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked).toHaveLength(1);
  });

  it('uncounts an agent that is forgotten, once', () => {
    const { prober, targets, log } = harness();
    targets.set('lab/mina', target('mina'));
    prober.observe('lab/mina');
    prober.forget('lab/mina');
    prober.forget('lab/mina');
    expect(log).toEqual(['begin mina', 'uncount mina', 'end lab/mina']);
  });

  it('asks nobody after the stop, and forgets nothing', async () => {
    const { prober, targets, asked, answerAll } = harness();
    answerAll();
    targets.set('lab/mina', target('mina'));
    prober.observe('lab/mina');
    await vi.advanceTimersByTimeAsync(16_000);
    prober.stop();
    expect(prober.observe('lab/mina')?.last?.at).toBe(START + 15_000);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(asked).toHaveLength(1);
  });

  it('spreads a thousand agents over the interval and keeps those that answer from waiting for those that do not', async () => {
    let seed = 1;
    const random = (): number => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed / 2_147_483_647;
    };
    const { prober, targets, asked, answerAll } = harness(random);
    answerAll('alive');
    for (let index = 0; index < 1000; index++) {
      const name = `${index % 2 === 0 ? 'alive' : 'dead'}-${index}`;
      targets.set(`lab/${name}`, target(name));
      prober.observe(`lab/${name}`);
    }
    await vi.advanceTimersByTimeAsync(60_000);
    prober.stop();
    const perSecond = groupBy(asked, ({ at }) => Math.floor(at / 1000));
    expect(Math.max(...[...perSecond.values()].map((some) => some.length))).toBeLessThan(60);
    const alive = groupBy(
      asked.filter(({ name }) => name.startsWith('alive')),
      ({ name }) => name,
    );
    expect(alive.size).toBe(500);
    const gaps = [...alive.values()].flatMap(([first, second]) => (first && second ? [second.at - first.at] : []));
    expect(gaps.length).toBeGreaterThan(450);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(27_000);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(33_001);
  }, 60_000);
});
