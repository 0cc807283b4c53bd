import { describe, expect, it, vi } from 'vitest';
import type { KubeRequest } from '../../../../controller/kube/client.js';
import { eventRecorder, eventRequest, type ObjectEvent } from '../../../../controller/kube/event-recorder.js';
import type { StoredAgent } from '../../../../controller/kube/objects.js';
import { RESOURCES } from '../../../../controller/kube/resources.js';

const AGENT: StoredAgent = {
  metadata: {
    name: 'mina',
    namespace: 'lab',
    uid: 'u1',
    resourceVersion: '7',
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
};
const EVENT: ObjectEvent = {
  type: 'Warning',
  reason: 'PodNotReady',
  action: 'PhaseChanged',
  note: 'Ready -> Degraded',
};

describe('eventRecorder', () => {
  it('writes an event about the agent', async () => {
    const requests: KubeRequest[] = [];
    const api = {
      now: () => Date.UTC(2026, 0, 1, 12),
      request: (request: KubeRequest) => Promise.resolve(requests.push(request)),
    };
    eventRecorder({ api, resource: RESOURCES.agents, instance: 'pod_1', onError: () => undefined })(AGENT, EVENT);
    await vi.waitFor(() => {
      expect(requests).toHaveLength(1);
    });
    expect(requests[0]?.path).toBe('/apis/events.k8s.io/v1/namespaces/lab/events');
    expect(requests[0]?.body).toEqual({
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: expect.stringMatching(/^mina\.[0-9a-f]{16}$/) as string, namespace: 'lab' },
      eventTime: '2026-01-01T12:00:00.000000Z',
      reportingController: 'hermes-gitops-controller',
      reportingInstance: 'pod_1',
      type: 'Warning',
      reason: 'PodNotReady',
      action: 'PhaseChanged',
      note: 'Ready -> Degraded',
      regarding: {
        apiVersion: 'hermes-gitops.dev/v1alpha1',
        kind: 'HermesAgent',
        name: 'mina',
        namespace: 'lab',
        uid: 'u1',
        resourceVersion: '7',
      },
    });
  });

  it('says the same thing once in ten minutes', async () => {
    let now = 0;
    const notes: string[] = [];
    const api = {
      now: () => now,
      request: ({ body }: KubeRequest) => Promise.resolve(notes.push((body as { note: string }).note)),
    };
    const record = eventRecorder({ api, resource: RESOURCES.agents, instance: 'i', onError: () => undefined });
    for (const at of [0, 1000, 599_999, 600_000]) {
      now = at;
      record(AGENT, EVENT);
    }
    record(AGENT, { ...EVENT, note: 'other' });
    await vi.waitFor(() => {
      expect(notes).toEqual(['Ready -> Degraded', 'Ready -> Degraded', 'other']);
    });
  });

  it('says it again when the clock was set back', async () => {
    let now = 3_600_000;
    let calls = 0;
    const api = { now: () => now, request: () => Promise.resolve(++calls) };
    const record = eventRecorder({ api, resource: RESOURCES.agents, instance: 'i', onError: () => undefined });
    record(AGENT, EVENT);
    now = 0;
    record(AGENT, EVENT);
    record(AGENT, EVENT);
    record(AGENT, { ...EVENT, note: 'other' });
    await vi.waitFor(() => {
      expect(calls).toBe(3);
    });
  });

  it.each([
    ['a'.repeat(2000), 'a'.repeat(1024)],
    ['é'.repeat(1000), 'é'.repeat(512)],
    [`a${'é'.repeat(1000)}`, `a${'é'.repeat(511)}`],
    ['🙂'.repeat(300), '🙂'.repeat(256)],
  ])('says no more than the 1,024 bytes that the API server takes', (note, want) => {
    const { body } = eventRequest(AGENT, { ...EVENT, note }, { resource: RESOURCES.agents, instance: 'i', now: 0 });
    expect(body).toMatchObject({ note: want });
  });

  it('goes on after an event that is refused', async () => {
    const errors: unknown[] = [];
    let calls = 0;
    const api = {
      now: () => 0,
      request: () => {
        calls += 1;
        return calls === 1 ? Promise.reject(new Error('namespace is terminating')) : Promise.resolve();
      },
    };
    const record = eventRecorder({
      api,
      resource: RESOURCES.agents,
      instance: 'i',
      onError: (error) => errors.push(error),
    });
    record(AGENT, EVENT);
    record(AGENT, { ...EVENT, note: 'next' });
    await vi.waitFor(() => {
      expect(calls).toBe(2);
    });
    expect(errors).toEqual([new Error('namespace is terminating')]);
  });
});
