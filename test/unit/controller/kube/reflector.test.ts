import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Reflector, type Presence, type ReflectorTiming, type Sink } from '../../../../controller/kube/reflector.js';
import { RESOURCES } from '../../../../controller/kube/resources.js';
import {
  clientOf,
  sendJson,
  sendStatus,
  startFakeApiServer,
  type FakeApiServer,
} from '../../../support/fake-api-server.js';

interface Item {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
}

/** One scripted answer; the last of a script answers every further request. */
type Answer = (response: ServerResponse, request: IncomingMessage) => void;

const item = (name: string, resourceVersion = '1'): Item => ({ metadata: { name, resourceVersion } });
const event = (type: string, object: unknown): string => `${JSON.stringify({ type, object })}\n`;
const list =
  (resourceVersion: string, ...names: string[]): Answer =>
  (response) => {
    sendJson(response, 200, { metadata: { resourceVersion }, items: names.map((name) => item(name)) });
  };
const fail =
  (code: number, reason: string): Answer =>
  (response) => {
    sendStatus(response, code, reason);
  };
/** Begins a watch, sends this, and leaves it open. */
const stay =
  (...lines: string[]): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    for (const line of lines) response.write(line);
  };
/** As `stay`, but ended in good order. */
const end =
  (...lines: string[]): Answer =>
  (response) => {
    response.writeHead(200);
    response.end(lines.join(''));
  };
/** As `stay`, but the socket is torn apart. */
const tear =
  (...lines: string[]): Answer =>
  (response) => {
    response.writeHead(200);
    response.flushHeaders();
    response.write(lines.join(''), () => setTimeout(() => response.destroy(), 10));
  };

const FAST: ReflectorTiming = {
  backoff: { baseMs: 5, maxMs: 20 },
  idleMs: 60_000,
  relistAfterMs: 600_000,
  connectMs: 5000,
  watchSeconds: [300, 300],
  goodAfterMs: 60_000,
  absent: { baseMs: 60_000, maxMs: 60_000 },
};

interface Optional {
  readonly isOptional?: boolean;
  readonly presence?: Presence;
}

class Harness {
  readonly seen = new Map<string, string>();
  readonly failures: string[] = [];
  readonly restarts: string[] = [];
  readonly abort = new AbortController();
  readonly server: FakeApiServer;
  readonly reflector: Reflector<Item>;

  constructor(server: FakeApiServer, timing: ReflectorTiming, parts: Partial<Sink<Item>> & Optional) {
    const { isOptional = false, presence, ...sink } = parts;
    this.server = server;
    const selection = { resource: RESOURCES.pods, labelSelector: 'x' };
    this.reflector = new Reflector<Item>({
      api: clientOf(server),
      selection,
      timing,
      isOptional,
      ...(presence === undefined ? {} : { presence }),
      sink: {
        transform: (raw) => raw as Item,
        replace: (items) => {
          this.seen.clear();
          for (const { metadata } of items) this.seen.set(metadata.name, metadata.resourceVersion);
        },
        upsert: ({ metadata }) => this.seen.set(metadata.name, metadata.resourceVersion),
        remove: ({ metadata }) => this.seen.delete(metadata.name),
        ...sink,
      },
      observer: {
        listed: () => undefined,
        restarted: (cause) => this.restarts.push(cause),
        failed: (stage, error) =>
          this.failures.push(`${stage}: ${error instanceof Error ? error.name : String(error)}`),
      },
    });
    void this.reflector.run(this.abort.signal);
  }

  names(): string[] {
    return [...this.seen.keys()].sort();
  }

  watchedFrom(): (string | null)[] {
    return this.server.requests
      .filter((request) => request.includes('watch=1'))
      .map((request) => new URL(request.slice(4), 'http://x').searchParams.get('resourceVersion'));
  }

  lists(): number {
    return this.server.requests.filter((request) => !request.includes('watch=1')).length;
  }
}

const running: Harness[] = [];

async function start(
  script: { readonly lists: Answer[]; readonly watches: Answer[] },
  timing: Partial<ReflectorTiming> = {},
  parts: Partial<Sink<Item>> & Optional = {},
): Promise<Harness> {
  const lists = [...script.lists];
  const watches = [...script.watches];
  const next = (answers: Answer[]): Answer | undefined => (answers.length > 1 ? answers.shift() : answers[0]);
  const server = await startFakeApiServer((request, response) => {
    next(request.url?.includes('watch=1') === true ? watches : lists)?.(response, request);
  });
  const harness = new Harness(server, { ...FAST, ...timing }, parts);
  running.push(harness);
  return harness;
}

const waitFor = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 5000, interval: 5 });

describe('Reflector', () => {
  afterEach(async () => {
    for (const harness of running.splice(0)) {
      harness.abort.abort();
      await harness.server.stop();
    }
  });

  it('lists, then follows the watch', async () => {
    const lines = [
      event('ADDED', item('b', '11')),
      event('MODIFIED', item('a', '12')),
      event('DELETED', item('b', '13')),
    ];
    const harness = await start({ lists: [list('10', 'a')], watches: [stay(...lines)] });
    await waitFor(() => {
      expect(harness.seen).toEqual(new Map([['a', '12']]));
    });
    expect(harness.server.requests).toEqual([
      'GET /api/v1/pods?labelSelector=x&limit=100',
      'GET /api/v1/pods?labelSelector=x&watch=1&allowWatchBookmarks=true&resourceVersion=10&timeoutSeconds=300',
    ]);
    expect(harness.reflector.isSynced).toBe(true);
  });

  it('lists in pages, and from the start when the continue token has expired', async () => {
    const page = (name: string, token?: string): Answer => {
      const metadata = { resourceVersion: '10', ...(token === undefined ? {} : { continue: token }) };
      return (response) => {
        sendJson(response, 200, { metadata, items: [item(name)] });
      };
    };
    const harness = await start({
      lists: [page('old', 't1'), fail(410, 'Expired'), page('a', 't2'), page('b')],
      watches: [stay()],
    });
    await waitFor(() => {
      expect(harness.names()).toEqual(['a', 'b']);
    });
    expect(harness.server.requests.slice(0, 4).map((request) => /continue=(\w+)/.exec(request)?.[1])).toEqual([
      undefined,
      't1',
      undefined,
      't2',
    ]);
    expect(harness.failures).toEqual([]);
  });

  it('resumes from the last bookmark when the server ends the watch', async () => {
    const bookmark = event('BOOKMARK', { metadata: { resourceVersion: '50' } });
    const harness = await start({
      lists: [list('10')],
      watches: [end(bookmark), stay(event('ADDED', item('a', '51')))],
    });
    await waitFor(() => {
      expect(harness.names()).toEqual(['a']);
    });
    expect(harness.watchedFrom()).toEqual(['10', '50']);
    expect(harness.lists()).toBe(1);
    expect(harness.restarts).toEqual(['closed']);
  });

  it.each([
    { title: 'in an event', answer: end(event('ERROR', { kind: 'Status', code: 410, reason: 'Expired' })) },
    { title: 'as the status', answer: fail(410, 'Gone') },
  ])('lists again after 410 $title, and what is gone meanwhile goes', async ({ answer }) => {
    const harness = await start({ lists: [list('10', 'a', 'b'), list('90', 'b')], watches: [answer, stay()] });
    await waitFor(() => {
      expect(harness.watchedFrom()).toEqual(['10', '90']);
    });
    expect(harness.names()).toEqual(['b']);
    expect(harness.restarts).toEqual(['expired']);
  });

  it('takes a half line at a torn end for nothing, and gets that event from the next watch', async () => {
    const whole = event('ADDED', item('a', '11'));
    const torn = event('ADDED', item('b', '12'));
    const harness = await start({ lists: [list('10')], watches: [tear(whole, torn.slice(0, 30)), stay(torn)] });
    await waitFor(() => {
      expect(harness.names()).toEqual(['a', 'b']);
    });
    expect(harness.watchedFrom()).toEqual(['10', '11']);
    expect(harness.lists()).toBe(1);
  });

  it('puts an event together that arrives in pieces, within a character too', async () => {
    const line = Buffer.from(event('ADDED', { metadata: { name: 'grüße', resourceVersion: '11' } }));
    const cut = line.indexOf(0xc3) + 1;
    const pieces: Answer = (response) => {
      response.writeHead(200);
      response.write(line.subarray(0, cut));
      setTimeout(() => response.write(line.subarray(cut)), 20);
    };
    const harness = await start({ lists: [list('10')], watches: [pieces] });
    await waitFor(() => {
      expect(harness.names()).toEqual(['grüße']);
    });
  });

  it.each([
    { title: 'no JSON', line: '{"type":"ADDED",\n' },
    { title: 'an unknown type', line: event('REPLACED', item('x', '11')) },
    { title: 'no resourceVersion', line: event('ADDED', { metadata: { name: 'x' } }) },
    { title: 'no object', line: '{"type":"MODIFIED","object":null}\n' },
    { title: 'a bare null', line: 'null\n' },
  ])('lists again after a line that is $title, since an event may be lost', async ({ line }) => {
    const harness = await start({ lists: [list('10'), list('20', 'a')], watches: [stay(line), stay()] });
    await waitFor(() => {
      expect(harness.watchedFrom()).toEqual(['10', '20']);
    });
    expect(harness.names()).toEqual(['a']);
    expect(harness.failures).toEqual(['watch: MalformedEventError']);
  });

  it('opens a silent watch again where it was, as there may be nothing to say', async () => {
    const harness = await start(
      { lists: [list('10')], watches: [stay(), stay(event('BOOKMARK', item('', '20'))), stay()] },
      { idleMs: 50 },
    );
    await waitFor(() => {
      expect(harness.watchedFrom().slice(0, 4)).toEqual(['10', '10', '20', '20']);
    });
    expect(harness.lists()).toBe(1);
    expect([harness.failures, new Set(harness.restarts)]).toEqual([[], new Set(['silent'])]);
  });

  it('lists again what has been silent for long, for the server may have gone back in time', async () => {
    const harness = await start(
      { lists: [list('40', 'lost'), list('10', 'kept')], watches: [stay(), stay()] },
      { idleMs: 50, relistAfterMs: 0 },
    );
    await waitFor(() => {
      expect(harness.names()).toEqual(['kept']);
    });
    await waitFor(() => {
      expect(harness.watchedFrom().slice(0, 2)).toEqual(['40', '10']);
    });
    expect(harness.failures).toEqual([]);
  });

  it('gives a watch up whose answer never begins', async () => {
    const harness = await start(
      { lists: [list('10')], watches: [() => undefined, stay(event('ADDED', item('a', '11')))] },
      { connectMs: 50 },
    );
    await waitFor(() => {
      expect(harness.names()).toEqual(['a']);
    });
  });

  it('survives failing lists and late permission, and ends with exactly one watch', async () => {
    const harness = await start({
      lists: [
        fail(500, 'InternalError'),
        fail(500, 'InternalError'),
        fail(500, 'InternalError'),
        fail(403, 'Forbidden'),
        fail(403, 'Forbidden'),
        list('10', 'a'),
      ],
      watches: [tear(), stay()],
    });
    expect(harness.reflector.isSynced).toBe(false);
    void harness.reflector.run(harness.abort.signal);
    await waitFor(() => {
      expect(harness.watchedFrom()).toEqual(['10', '10']);
    });
    expect(harness.server.openWatches()).toBe(1);
    expect(harness.failures.slice(0, 5)).toEqual(Array.from({ length: 5 }, () => 'list: KubeStatusError'));
  });

  it('empties the sink when the resource itself is gone, and fills it when it is back', async () => {
    const harness = await start({
      lists: [list('10', 'a'), fail(404, 'NotFound'), fail(404, 'NotFound'), list('30', 'b')],
      watches: [fail(404, 'NotFound'), stay()],
    });
    await waitFor(() => {
      expect(harness.names()).toEqual(['b']);
    });
    expect(harness.lists()).toBe(4);
  });

  it('counts it as an answer that the resource is gone, and no failure as one', async () => {
    const denied = await start({ lists: [fail(403, 'Forbidden')], watches: [] });
    const gone = await start({ lists: [list('10', 'a'), fail(404, 'NotFound')], watches: [fail(404, 'NotFound')] });
    await waitFor(() => {
      expect(gone.lists()).toBeGreaterThan(3);
      expect(denied.lists()).toBeGreaterThan(3);
    });
    expect(gone.reflector.silentForMs()).toBeLessThan(denied.reflector.silentForMs());
  });

  it.each([
    { title: 'no silence that a new process could end', code: 403, isAnswered: true },
    { title: 'as silent as one that nobody answers', code: 500, isAnswered: false },
  ])('is, while it is told $code, $title', async ({ code, isAnswered }) => {
    const harness = await start({ lists: [fail(code, 'No')], watches: [] });
    await waitFor(() => {
      expect(harness.lists()).toBeGreaterThan(3);
    });
    const [silent, unanswered] = [harness.reflector.silentForMs(), harness.reflector.unansweredForMs()];
    if (isAnswered) expect(unanswered).toBeLessThan(silent);
    else expect(unanswered).toBeGreaterThanOrEqual(silent);
  });

  it('reports a handler that throws, and goes on with the next event', async () => {
    const lines = [event('ADDED', item('bad', '11')), event('ADDED', item('good', '12'))];
    const taken: string[] = [];
    const upsert = ({ metadata }: Item): void => {
      if (metadata.name === 'bad') throw new TypeError('cannot read properties of null');
      taken.push(metadata.name);
    };
    const harness = await start({ lists: [list('10')], watches: [stay(...lines)] }, {}, { upsert });
    await waitFor(() => {
      expect(taken).toEqual(['good']);
    });
    expect(harness.failures).toEqual(['handler: TypeError']);
  });

  it('stops when it is told to', async () => {
    const harness = await start({ lists: [list('10')], watches: [stay()] });
    await waitFor(() => {
      expect(harness.server.openWatches()).toBe(1);
    });
    harness.abort.abort();
    await harness.reflector.run(harness.abort.signal);
    await waitFor(() => {
      expect(harness.server.openWatches()).toBe(0);
    });
    expect(harness.failures).toEqual([]);
  });

  describe('of a resource that the server may not serve', () => {
    it('counts as read and empty without a failure, and asks no more for a while', async () => {
      const harness = await start({ lists: [fail(404, 'NotFound')], watches: [] }, {}, { isOptional: true });
      await waitFor(() => {
        expect(harness.reflector.isSynced).toBe(true);
      });
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(harness.lists()).toBe(1);
      expect(harness.failures).toEqual([]);
    });

    it('is read once it is served, and is empty when it goes again', async () => {
      const harness = await start(
        {
          lists: [fail(404, 'NotFound'), list('10', 'a'), fail(404, 'NotFound'), list('20', 'b')],
          watches: [fail(404, 'NotFound'), stay()],
        },
        { absent: { baseMs: 5, maxMs: 10 } },
        { isOptional: true },
      );
      await waitFor(() => {
        expect(harness.watchedFrom()).toEqual(['10', '20']);
      });
      expect(harness.names()).toEqual(['b']);
      expect(harness.failures).toEqual(['watch: KubeStatusError']);
    });

    it.each([
      ['is not asked for while it is known not to be there', true, 1],
      ['is asked for now and then where nobody can tell', false, 4],
    ])('%s', async (_, isAbsent, atLeast) => {
      const change = new AbortController();
      const harness = await start(
        { lists: [fail(404, 'NotFound')], watches: [] },
        { absent: { baseMs: 5, maxMs: 10 } },
        { isOptional: true, presence: { isAbsent, change: change.signal } },
      );
      await waitFor(() => {
        expect(harness.lists()).toBeGreaterThanOrEqual(atLeast);
      });
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(harness.lists() === 1).toBe(isAbsent);
    });

    it('is asked for at once when its kind changes, and watched from then on', async () => {
      const [first, later] = [new AbortController(), new AbortController()];
      const presence = { isAbsent: true, change: first.signal };
      const harness = await start(
        { lists: [fail(404, 'NotFound'), list('10', 'a')], watches: [stay()] },
        {},
        { isOptional: true, presence },
      );
      await waitFor(() => {
        expect(harness.lists()).toBe(1);
      });
      Object.assign(presence, { isAbsent: false, change: later.signal });
      first.abort();
      await waitFor(() => {
        expect(harness.watchedFrom()).toEqual(['10']);
      });
      expect(harness.failures).toEqual([]);
    });

    it('is not taken for empty when it cannot be read', async () => {
      const harness = await start(
        { lists: [fail(403, 'Forbidden'), fail(500, 'InternalError'), list('10', 'a')], watches: [stay()] },
        {},
        { isOptional: true },
      );
      await waitFor(() => {
        expect(harness.names()).toEqual(['a']);
      });
      expect(harness.failures).toEqual(['list: KubeStatusError', 'list: KubeStatusError']);
    });
  });
});
