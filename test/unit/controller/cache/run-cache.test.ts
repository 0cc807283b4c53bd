import { afterEach, describe, expect, it, vi } from 'vitest';
import { RunCache } from '../../../../controller/cache/run-cache.js';
import {
  clientOf,
  sendJson,
  sendStatus,
  startFakeApiServer,
  type FakeApiServer,
} from '../../../support/fake-api-server.js';
import { job, observedRun, runPod } from '../../../support/observed-run.js';

/** What the server holds, by plural; a number is the status code of a failure. */
type Held = Record<string, readonly object[] | number>;

const servers: { readonly server: FakeApiServer; readonly abort: AbortController }[] = [];

async function cacheOver(held: Held): Promise<{
  readonly cache: RunCache;
  readonly changed: string[];
  readonly failed: string[];
  readonly emit: (plural: string, type: string, object: object) => void;
}> {
  const watches = new Map<string, (line: string) => void>();
  const server = await startFakeApiServer((request, response) => {
    const plural = /([a-z]+)\?/.exec(request.url ?? '')?.[1] ?? '';
    const items = held[plural] ?? 404;
    if (typeof items === 'number') sendStatus(response, items, 'NotFound');
    else if (request.url?.includes('watch=1') === true) {
      response.writeHead(200);
      response.flushHeaders();
      watches.set(plural, (line) => response.write(line));
    } else sendJson(response, 200, { metadata: { resourceVersion: '10' }, items });
  });
  const changed: string[] = [];
  const failed: string[] = [];
  const cache = new RunCache({
    api: clientOf(server),
    namespaces: [],
    onRunChange: (key) => changed.push(key),
    observe: ({ plural }) => ({
      listed: () => undefined,
      restarted: () => undefined,
      failed: (stage) => failed.push(`${plural} ${stage}`),
    }),
  });
  const abort = new AbortController();
  servers.push({ server, abort });
  void cache.run(abort.signal);
  await vi.waitFor(() => {
    expect(cache.feeds.isSynced).toBe(true);
  });
  const emit = (plural: string, type: string, object: object): void => {
    watches.get(plural)?.(`${JSON.stringify({ type, object })}\n`);
  };
  await vi.waitFor(() => {
    expect([...watches.keys()]).toEqual(
      expect.arrayContaining(Object.keys(held).filter((plural) => Array.isArray(held[plural]))),
    );
  });
  return { cache, changed, failed, emit };
}

const SUM = { namespace: 'lab', name: 'sum-1' };
const { run } = observedRun();
const pod = runPod();
const later = (resourceVersion: string): object => ({ ...pod, metadata: { ...pod.metadata, resourceVersion } });

describe('RunCache', () => {
  afterEach(async () => {
    for (const { server, abort } of servers.splice(0)) {
      abort.abort();
      await server.stop();
    }
  });

  it('keeps together what carries the name and the label of a run', async () => {
    const { cache, changed } = await cacheOver({ agentruns: [run], jobs: [job()], pods: [pod], sandboxes: [] });
    await vi.waitFor(() => {
      expect(cache.related(SUM)).toMatchObject({
        job: { metadata: { uid: 'job-uid' } },
        pods: [{ metadata: { uid: pod.metadata.uid } }],
      });
      expect(cache.related(SUM).unwatched).toBeUndefined();
    });
    expect(new Set(changed)).toEqual(new Set(['lab/sum-1']));
  });

  it('remembers the last state of a pod that went, until the result is stored', async () => {
    const { cache, emit } = await cacheOver({ agentruns: [run], jobs: [], pods: [pod], sandboxes: [] });
    emit('pods', 'DELETED', later('11'));
    await vi.waitFor(() => {
      expect(cache.related(SUM).pods).toEqual([]);
    });
    expect(cache.related(SUM).deletedPods?.map(({ metadata }) => metadata.uid)).toEqual([pod.metadata.uid]);
    cache.forgetPods('lab/sum-1');
    expect(cache.related(SUM).deletedPods).toEqual([]);
  });

  it('remembers no pod of a run that is over, or of none', async () => {
    const over = { ...run, status: { completionTime: '2026-03-01T12:00:00Z' } };
    const stray = {
      ...pod,
      metadata: { ...pod.metadata, name: 'x', uid: 'x', labels: { 'hermes-gitops.dev/run': 'none' } },
    };
    const { cache, emit } = await cacheOver({ agentruns: [over], jobs: [], pods: [pod, stray], sandboxes: [] });
    emit('pods', 'DELETED', later('11'));
    emit('pods', 'DELETED', stray);
    await vi.waitFor(() => {
      expect([...cache.related(SUM).pods, ...cache.related({ ...SUM, name: 'none' }).pods]).toEqual([]);
    });
    expect(cache.related(SUM).deletedPods).toEqual([]);
    expect(cache.related({ ...SUM, name: 'none' }).deletedPods).toEqual([]);
  });

  it('is whole where there are no runs and no Sandboxes at all', async () => {
    const { cache, failed } = await cacheOver({ jobs: [], pods: [], customresourcedefinitions: [] });
    expect(failed).toEqual([]);
    expect(cache.runs.size).toBe(0);
    await vi.waitFor(() => {
      expect(cache.related(SUM).unwatched).toBeUndefined();
    });
  });

  it('knows that it does not know of Sandboxes that it may not read', async () => {
    const { cache, failed } = await cacheOver({
      agentruns: [run],
      jobs: [],
      pods: [],
      sandboxes: 403,
      customresourcedefinitions: [],
    });
    await vi.waitFor(() => {
      expect(failed).toEqual(['sandboxes list']);
    });
    expect(cache.related(SUM).unwatched).toEqual(['Sandbox']);
    expect(cache.feeds.silentFor(-1).includes('sandboxes')).toBe(false);
  });
});
