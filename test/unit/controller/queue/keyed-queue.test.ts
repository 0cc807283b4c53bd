import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { KeyedQueue, type WorkResult } from '../../../../controller/queue/keyed-queue.js';

interface Harness {
  readonly queue: KeyedQueue;
  /** Keys in the order in which they were begun. */
  readonly begun: string[];
  /** Ends the oldest pass over a key. */
  readonly finish: (key: string, result?: WorkResult | Error) => Promise<void>;
}

const BACKOFF = { baseMs: 100, maxMs: 1000 };

function harness(concurrency = 1): Harness {
  const begun: string[] = [];
  const open: { key: string; end: (result: WorkResult | Error) => void }[] = [];
  const queue = new KeyedQueue({
    concurrency,
    backoff: BACKOFF,
    handle: (key) => {
      begun.push(key);
      return new Promise<WorkResult>((resolve, reject) => {
        open.push({
          key,
          end: (result) => {
            if (result instanceof Error) reject(result);
            else resolve(result);
          },
        });
      });
    },
  });
  const finish = async (key: string, result: WorkResult | Error = { kind: 'done' }): Promise<void> => {
    const index = open.findIndex((pass) => pass.key === key);
    const [pass] = index === -1 ? [] : open.splice(index, 1);
    if (pass === undefined) throw new Error(`${key} is not in hand`);
    pass.end(result);
    await vi.advanceTimersByTimeAsync(0);
  };
  return { queue, begun, finish };
}

describe('KeyedQueue', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('hands out nothing before it is started', () => {
    const { queue, begun } = harness();
    queue.add('a');
    expect(begun).toEqual([]);
    queue.start();
    expect(begun).toEqual(['a']);
  });

  it('keeps a key once, however often it is added', async () => {
    const { queue, begun, finish } = harness();
    queue.start();
    for (const key of ['a', 'b', 'b', 'c', 'b']) queue.add(key);
    expect(queue.depth).toBe(2);
    await finish('a');
    await finish('b');
    await finish('c');
    expect(begun).toEqual(['a', 'b', 'c']);
  });

  it('handles a key once more when it was added while in hand, and never twice at one time', async () => {
    const { queue, begun, finish } = harness(4);
    queue.start();
    queue.add('a');
    queue.add('a');
    queue.add('a');
    expect(begun).toEqual(['a']);
    await finish('a');
    expect(begun).toEqual(['a', 'a']);
    await finish('a');
    expect(begun).toEqual(['a', 'a']);
  });

  it('works on as many keys as it may', async () => {
    const { queue, begun, finish } = harness(2);
    queue.start();
    for (const key of ['a', 'b', 'c']) queue.add(key);
    expect(begun).toEqual(['a', 'b']);
    await finish('b');
    expect(begun).toEqual(['a', 'b', 'c']);
  });

  it.each([
    { title: 'a retry', result: { kind: 'retry' } as const },
    { title: 'a handler that throws', result: new Error('broken') },
  ])('waits longer after each failure, up to the cap: $title', async ({ result }) => {
    const { queue, begun, finish } = harness();
    queue.start();
    queue.add('a');
    for (const delay of [100, 200, 400, 800, 1000, 1000]) {
      const before = begun.length;
      await finish('a', result);
      await vi.advanceTimersByTimeAsync(delay - 1);
      expect(begun).toHaveLength(before);
      await vi.advanceTimersByTimeAsync(1);
      expect(begun).toHaveLength(before + 1);
    }
  });

  it('starts from the shortest delay again after a success', async () => {
    const { queue, begun, finish } = harness();
    queue.start();
    queue.add('a');
    await finish('a', { kind: 'retry' });
    await vi.advanceTimersByTimeAsync(100);
    await finish('a', { kind: 'retry' });
    await vi.advanceTimersByTimeAsync(200);
    await finish('a');
    queue.add('a');
    await finish('a', { kind: 'retry' });
    await vi.advanceTimersByTimeAsync(100);
    expect(begun).toHaveLength(5);
  });

  it('does not let one failing key hold up another', async () => {
    const { queue, begun, finish } = harness();
    queue.start();
    queue.add('bad');
    await finish('bad', { kind: 'retry' });
    queue.add('good');
    expect(begun).toEqual(['bad', 'good']);
  });

  it('looks again after the time that the handler asked for', async () => {
    const { queue, begun, finish } = harness();
    queue.start();
    queue.add('a');
    await finish('a', { kind: 'requeueAfter', delayMs: 5000 });
    await vi.advanceTimersByTimeAsync(4999);
    expect(begun).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(begun).toHaveLength(2);
  });

  it('drops the timer of a key that is handled before it fires', async () => {
    const { queue, begun, finish } = harness();
    queue.start();
    queue.add('a');
    await finish('a', { kind: 'requeueAfter', delayMs: 5000 });
    queue.add('a');
    await finish('a');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(begun).toHaveLength(2);
  });

  it('does not fire at once for a delay that a Node timer cannot hold', async () => {
    const { queue, begun } = harness();
    const fortyDays = 40 * 86_400_000;
    queue.start();
    queue.addAfter('a', fortyDays);
    await vi.advanceTimersByTimeAsync(fortyDays - 1);
    expect(begun).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(begun).toEqual(['a']);
  });

  it.each([0, -5, Number.NaN])('takes a delay of %s for none', (delay) => {
    const { queue, begun } = harness();
    queue.start();
    queue.addAfter('a', delay);
    expect(begun).toEqual(['a']);
  });

  it('forgets the failures and the timer of a key', async () => {
    const { queue, begun, finish } = harness();
    queue.start();
    queue.add('a');
    await finish('a', { kind: 'retry' });
    queue.forget('a');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(begun).toEqual(['a']);
  });

  it('finishes what is in hand when it drains, and begins nothing', async () => {
    const { queue, begun, finish } = harness();
    queue.start();
    queue.add('a');
    queue.add('b');
    queue.add('a');
    queue.addAfter('c', 100);
    let isDrained = false;
    const drained = queue.drain().then(() => {
      isDrained = true;
    });
    await vi.advanceTimersByTimeAsync(1000);
    expect(isDrained).toBe(false);
    await finish('a');
    await drained;
    queue.add('d');
    await vi.advanceTimersByTimeAsync(1000);
    expect(begun).toEqual(['a']);
  });

  it('drains at once when nothing is in hand', async () => {
    const { queue } = harness();
    queue.start();
    await expect(queue.drain()).resolves.toBeUndefined();
  });

  describe('of changes', () => {
    it('hands a key out once for all that changes within a moment, and no later for what goes on changing', async () => {
      const { queue, begun, finish } = harness();
      queue.start();
      queue.addChanged('a');
      await vi.advanceTimersByTimeAsync(30);
      queue.addChanged('a');
      expect(begun).toEqual([]);
      await vi.advanceTimersByTimeAsync(20);
      expect(begun).toEqual(['a']);
      await finish('a');
      await vi.advanceTimersByTimeAsync(1000);
      expect(begun).toEqual(['a']);
    });

    it('hands out in the order of the first change, and again for a change during the pass', async () => {
      const { queue, begun, finish } = harness();
      queue.start();
      for (const key of ['b', 'a', 'b']) queue.addChanged(key);
      await vi.advanceTimersByTimeAsync(50);
      expect(begun).toEqual(['b']);
      queue.addChanged('b');
      await vi.advanceTimersByTimeAsync(50);
      await finish('b');
      await finish('a');
      await finish('b');
      expect(begun).toEqual(['b', 'a', 'b']);
    });

    it('forgets them once it is closed', async () => {
      const { queue, begun } = harness();
      queue.start();
      queue.addChanged('a');
      await queue.drain();
      queue.addChanged('b');
      await vi.advanceTimersByTimeAsync(1000);
      expect(begun).toEqual([]);
      expect(vi.getTimerCount()).toBe(0);
    });
  });
});
