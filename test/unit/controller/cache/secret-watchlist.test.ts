import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SecretWatchlist, type WantedSecret } from '../../../../controller/cache/secret-watchlist.js';
import type { SecretObservation } from '../../../../controller/status/observed.js';

const found = (...keys: string[]): SecretObservation => ({ state: 'found', keys: new Set(keys) });
const missing: SecretObservation = { state: 'missing' };

interface Harness {
  readonly list: SecretWatchlist;
  readonly cluster: Map<string, SecretObservation>;
  readonly reads: string[];
  readonly changed: string[];
}

function harness(): Harness {
  const cluster = new Map<string, SecretObservation>();
  const reads: string[] = [];
  const changed: string[] = [];
  const list = new SecretWatchlist({
    read: ({ namespace, name }, needsKeys) => {
      reads.push(`${namespace}/${name}${needsKeys ? ' with keys' : ''}`);
      const observation = cluster.get(`${namespace}/${name}`) ?? missing;
      return Promise.resolve(observation.state === 'found' && !needsKeys ? found() : observation);
    },
    onChange: (key) => changed.push(key),
    random: () => 0,
  });
  return { list, cluster, reads, changed };
}

const wants = (name: string, ...keys: string[]): WantedSecret => ({ name, keys });

describe('SecretWatchlist', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('reads each Secret once for all who want it', async () => {
    const { list, cluster, reads } = harness();
    cluster.set('lab/tokens', found('discord', 'slack'));
    const both = await Promise.all([
      list.observe('lab/mina', 'lab', [wants('tokens', 'discord')]),
      list.observe('lab/nora', 'lab', [wants('tokens', 'slack')]),
    ]);
    expect(both).toEqual([
      new Map([['tokens', found('discord', 'slack')]]),
      new Map([['tokens', found('discord', 'slack')]]),
    ]);
    expect(reads).toEqual(['lab/tokens with keys']);
  });

  it('asks for no values where the Secret alone has to be there, and again when a key is wanted', async () => {
    const { list, cluster, reads } = harness();
    cluster.set('lab/tokens', found('discord'));
    expect(await list.observe('lab/mina', 'lab', [wants('tokens')])).toEqual(new Map([['tokens', found()]]));
    expect(await list.observe('lab/mina', 'lab', [wants('tokens', 'discord')])).toEqual(
      new Map([['tokens', found('discord')]]),
    );
    expect(reads).toEqual(['lab/tokens', 'lab/tokens with keys']);
  });

  it('tells an agent within fifteen seconds that its Secret was created', async () => {
    const { list, cluster, changed } = harness();
    await list.observe('lab/mina', 'lab', [wants('tokens', 'discord')]);
    cluster.set('lab/tokens', found('discord'));
    await vi.advanceTimersByTimeAsync(14_999);
    expect(changed).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(changed).toEqual(['lab/mina']);
  });

  it.each<{ title: string; state: SecretObservation; rereads: number }>([
    { title: 'all that is wanted', state: found('discord'), rereads: 2 },
    { title: 'a key too few', state: found('slack'), rereads: 40 },
    { title: 'nothing', state: missing, rereads: 40 },
    { title: 'no permission', state: { state: 'unreadable', message: '403' }, rereads: 40 },
  ])('looks again $rereads times in ten minutes at a Secret with $title', async ({ state, rereads }) => {
    const { list, cluster, reads, changed } = harness();
    cluster.set('lab/tokens', state);
    await list.observe('lab/mina', 'lab', [wants('tokens', 'discord')]);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(reads).toHaveLength(1 + rereads);
    expect(changed).toEqual([]);
  });

  it('forgets a Secret that nobody wants any more', async () => {
    const { list, reads } = harness();
    await list.observe('lab/mina', 'lab', [wants('tokens'), wants('other')]);
    await list.observe('lab/nora', 'lab', [wants('tokens')]);
    await list.observe('lab/mina', 'lab', [wants('tokens')]);
    list.release('lab/mina');
    reads.length = 0;
    await vi.advanceTimersByTimeAsync(15_000);
    expect(reads).toEqual(['lab/tokens']);
    list.release('lab/nora');
    await vi.advanceTimersByTimeAsync(600_000);
    expect(reads).toEqual(['lab/tokens']);
  });

  it('reads nothing after it was stopped', async () => {
    const { list, reads } = harness();
    await list.observe('lab/mina', 'lab', [wants('tokens')]);
    list.stop();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(reads).toHaveLength(1);
  });
});
