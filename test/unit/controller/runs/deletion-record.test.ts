import { describe, expect, it } from 'vitest';
import type { KubeRequest } from '../../../../controller/kube/client.js';
import { KubeStatusError } from '../../../../controller/kube/errors.js';
import { eventReader } from '../../../../controller/kube/event-reader.js';
import { eventRequest } from '../../../../controller/kube/event-recorder.js';
import { RESOURCES } from '../../../../controller/kube/resources.js';
import { DeletionRecord } from '../../../../controller/runs/deletion-record.js';
import type { StoredRun } from '../../../../controller/runs/objects.js';
import { NOW, observedRun } from '../../../support/observed-run.js';

const withUid = (uid: string): StoredRun => observedRun({ metadata: { uid } }).run;

/** Event requests are answered by a store of events, as two controllers one after the other would find it. */
function eventStore(): { readonly events: object[]; readonly requests: KubeRequest[]; failWith?: KubeStatusError } {
  return { events: [], requests: [] };
}

function record(store: ReturnType<typeof eventStore>, now = NOW): DeletionRecord {
  const api = {
    now: () => now,
    request: (request: KubeRequest): Promise<unknown> => {
      store.requests.push(request);
      if (store.failWith !== undefined) return Promise.reject(store.failWith);
      if (request.method === 'POST') store.events.push(request.body as object);
      return Promise.resolve({ items: store.events });
    },
  };
  return new DeletionRecord({
    api,
    readEvents: eventReader(api),
    eventRequest: (run, event) => eventRequest(run, event, { resource: RESOURCES.runs, instance: 'i', now: api.now() }),
  });
}

const failure = (statusCode: number): KubeStatusError =>
  new KubeStatusError({ statusCode, reason: 'R', message: 'no' });

describe('DeletionRecord', () => {
  it('knows its own deletion when the name comes back, and not of the run itself', async () => {
    const deletions = record(eventStore());
    await deletions.note(withUid('first'), 'why');
    expect(deletions.known(withUid('first'))).toBeUndefined();
    expect(deletions.known(withUid('second'))).toEqual({ at: NOW, uid: 'first' });
  });

  it('is found by the next process, from the event', async () => {
    const store = eventStore();
    await record(store).note(withUid('first'), 'why');
    const next = record(store, NOW + 60_000);
    expect(next.known(withUid('second'))).toBeUndefined();
    expect(await next.find(withUid('second'))).toEqual({ at: NOW, uid: 'first' });
    expect(store.requests.at(-1)).toMatchObject({
      method: 'GET',
      path: '/apis/events.k8s.io/v1/namespaces/lab/events',
      query: { fieldSelector: 'regarding.kind=AgentRun,regarding.name=sum-1,reason=RunReaped' },
    });
    expect(next.known(withUid('second'))).toEqual({ at: NOW, uid: 'first' });
    expect(await next.find(withUid('first'))).toBeUndefined();
  });

  it('believes no event that another controller says it wrote', async () => {
    const store = eventStore();
    await record(store).note(withUid('first'), 'why');
    store.events.splice(0, 1, { ...store.events[0], reportingController: 'somebody' });
    expect(await record(store).find(withUid('second'))).toBeUndefined();
  });

  it('remembers by itself where events are refused, as in a namespace that goes', async () => {
    const store = { ...eventStore(), failWith: failure(403) };
    const deletions = record(store);
    await deletions.note(withUid('first'), 'why');
    expect(await deletions.find(withUid('second'))).toEqual({ at: NOW, uid: 'first' });
    expect(await record(store).find(withUid('second'))).toBeUndefined();
  });

  it.each([500, 429, 503])('neither notes nor guesses when the server answers %i', async (statusCode) => {
    const deletions = record({ ...eventStore(), failWith: failure(statusCode) });
    await expect(deletions.note(withUid('first'), 'why')).rejects.toMatchObject({ statusCode });
    expect(deletions.known(withUid('second'))).toBeUndefined();
    await expect(deletions.find(withUid('second'))).rejects.toMatchObject({ statusCode });
  });
});
