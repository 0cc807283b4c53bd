import { describe, expect, it } from 'vitest';
import { agentKeysOf } from '../../../../controller/cache/ownership.js';
import { ObjectStore } from '../../../../controller/cache/store.js';
import type { KubeObject } from '../../../../controller/kube/objects.js';

interface ObjectParts {
  readonly version?: string;
  readonly namespace?: string;
  readonly labels?: Record<string, string>;
  readonly uid?: string;
}

function object(name: string, parts: ObjectParts = {}): KubeObject {
  return {
    metadata: {
      name,
      namespace: parts.namespace ?? 'lab',
      uid: parts.uid ?? `uid-${name}`,
      resourceVersion: parts.version ?? '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
      ...(parts.labels === undefined ? {} : { labels: parts.labels }),
    },
  };
}

function storeWithLog(): { store: ObjectStore<KubeObject>; log: string[] } {
  const log: string[] = [];
  const store = new ObjectStore<KubeObject>(agentKeysOf, ({ former, current }) => {
    const kind = current === undefined ? 'gone' : former === undefined ? 'new' : 'changed';
    log.push(`${kind} ${(current ?? former)?.metadata.name ?? ''}`);
  });
  return { store, log };
}

describe('ObjectStore', () => {
  it('tells of what changed and of nothing else', () => {
    const { store, log } = storeWithLog();
    store.upsert(object('a'));
    store.upsert(object('a'));
    store.upsert(object('a', { version: '2' }));
    store.remove(object('a', { version: '3' }));
    store.remove(object('a', { version: '3' }));
    expect(log).toEqual(['new a', 'changed a', 'gone a']);
  });

  it('tells nobody of what this process made of an object, nor of the same from the watch', () => {
    const { store, log } = storeWithLog();
    store.upsert(object('a'));
    store.adopt(object('a', { version: '3', labels: { 'hermes-gitops.dev/agent': 'mina' } }));
    store.upsert(object('a', { version: '3' }));
    store.adopt(object('a', { version: '2' }));
    expect(log).toEqual(['new a']);
    expect(store.get('lab/a')?.metadata.resourceVersion).toBe('3');
    expect(store.byIndex('lab/mina')).toHaveLength(1);
    store.upsert(object('a', { version: '4' }));
    expect(log).toEqual(['new a', 'changed a']);
  });

  it.each([
    { title: 'older by a digit', version: '99', want: '100' },
    { title: 'older in the last digit', version: '099', want: '100' },
    { title: 'newer by a digit', version: '1000', want: '1000' },
  ])('keeps the newest state: $title', ({ version, want }) => {
    const { store } = storeWithLog();
    store.upsert(object('a', { version: '100' }));
    store.upsert(object('a', { version }));
    expect(store.get('lab/a')?.metadata.resourceVersion).toBe(want);
  });

  it('becomes what a list says, and tells only of the difference', () => {
    const { store, log } = storeWithLog();
    store.replace([object('a'), object('b'), object('c')]);
    log.length = 0;
    store.replace([object('a'), object('b', { version: '2' }), object('d')]);
    expect(log).toEqual(['changed b', 'new d', 'gone c']);
  });

  it('takes a list with lower resourceVersions, as after a restored etcd', () => {
    const { store } = storeWithLog();
    store.replace([object('a', { version: '500' })]);
    store.replace([object('a', { version: '20' })]);
    expect(store.get('lab/a')?.metadata.resourceVersion).toBe('20');
  });

  it('replaces the objects of one namespace only when asked so', () => {
    const { store } = storeWithLog();
    store.replace([object('a', { namespace: 'one' })], 'one');
    store.replace([object('b', { namespace: 'two' })], 'two');
    store.replace([], 'one');
    expect([...store.keys()]).toEqual(['two/b']);
  });

  it('moves an object in the index when its labels change', () => {
    const { store } = storeWithLog();
    store.upsert(object('a', { labels: { 'hermes-gitops.dev/agent': 'mina' } }));
    store.upsert(object('a', { version: '2', labels: { 'hermes-gitops.dev/agent': 'nora' } }));
    expect(store.byIndex('lab/mina')).toEqual([]);
    expect(store.byIndex('lab/nora').map(({ metadata }) => metadata.name)).toEqual(['a']);
  });
});

describe('agentKeysOf', () => {
  it.each([
    { title: 'no label', labels: {}, want: [] },
    { title: 'an empty label', labels: { 'hermes-gitops.dev/agent': '' }, want: [] },
    { title: 'its own namespace', labels: { 'hermes-gitops.dev/agent': 'mina' }, want: ['lab/mina'] },
    {
      title: 'an agent elsewhere',
      labels: { 'hermes-gitops.dev/agent': 'mina', 'hermes-gitops.dev/agent-namespace': 'home' },
      want: ['lab/mina', 'home/mina'],
    },
  ])('finds $title', ({ labels, want }) => {
    expect(agentKeysOf(object('x', { labels }))).toEqual(want);
  });
});
