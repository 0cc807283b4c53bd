import { describe, expect, it } from 'vitest';
import { AGENT } from '../../../../controller/kube/agent-kind.js';
import type { KubeRequest } from '../../../../controller/kube/client.js';
import { KubeStatusError } from '../../../../controller/kube/errors.js';
import type { StoredAgent } from '../../../../controller/kube/objects.js';
import { withoutManagedFields } from '../../../../controller/kube/managed-fields.js';
import { objectWriter } from '../../../../controller/kube/object-writer.js';

function agent(finalizers?: readonly string[]): StoredAgent {
  return {
    metadata: {
      name: 'mina',
      namespace: 'lab',
      uid: 'u1',
      resourceVersion: '7',
      creationTimestamp: '2026-01-01T00:00:00Z',
      ...(finalizers === undefined ? {} : { finalizers }),
    },
  };
}

function writerWithLog(answer: () => Promise<unknown> = () => Promise.resolve({})): {
  writer: ReturnType<typeof objectWriter>;
  requests: KubeRequest[];
} {
  const requests: KubeRequest[] = [];
  const request = (one: KubeRequest): Promise<unknown> => {
    requests.push(one);
    return answer();
  };
  return { writer: objectWriter({ now: () => 0, request }, AGENT), requests };
}

const PATH = '/apis/hermes-gitops.dev/v1alpha1/namespaces/lab/hermesagents/mina';
const OURS = 'hermes-gitops.dev/finalizer';

describe('objectWriter', () => {
  it('applies our part of a status to the very state that was read', async () => {
    const { writer, requests } = writerWithLog();
    const conditions = [{ type: 'Ready' }, { type: 'example.org/Audited' }];
    await writer.applyStatus(agent(), { phase: 'Ready', foreign: 1, conditions });
    expect(requests).toEqual([
      {
        method: 'PATCH',
        path: `${PATH}/status`,
        query: { fieldManager: 'hermes-gitops-controller', force: 'true' },
        contentType: 'application/apply-patch+yaml',
        trim: withoutManagedFields,
        body: {
          apiVersion: 'hermes-gitops.dev/v1alpha1',
          kind: 'HermesAgent',
          metadata: { name: 'mina', namespace: 'lab', resourceVersion: '7' },
          status: { phase: 'Ready', conditions: [{ type: 'Ready' }] },
        },
      },
    ]);
  });

  it.each([500, 422])('patches the status of an agent that cannot be applied to, after %i', async (statusCode) => {
    const answers = [
      Promise.reject(new KubeStatusError({ statusCode, reason: '', message: 'failed to create typed live object' })),
      Promise.resolve({ kind: 'HermesAgent' }),
    ];
    const { writer, requests } = writerWithLog(() => answers.shift() ?? Promise.resolve({}));
    const audited = { type: 'example.org/Audited', status: 'True', reason: 'Yes', message: '', lastTransitionTime: '' };
    const ready = { ...audited, type: 'Ready' };
    const stored = {
      ...agent(),
      status: {
        phase: 'Ready',
        podName: 'gone',
        foreign: 1,
        conditions: [ready, audited, { ...ready, type: 'Stalled' }],
      },
    } as StoredAgent;
    const status = { phase: 'Degraded', restarts: 2, foreign: 2, conditions: [{ type: 'Ready' }, audited] };
    expect(await writer.applyStatus(stored, status)).toEqual({ kind: 'HermesAgent' });
    expect(requests.slice(1)).toEqual([
      {
        method: 'PATCH',
        path: `${PATH}/status`,
        query: { fieldManager: 'hermes-gitops-controller' },
        contentType: 'application/merge-patch+json',
        body: {
          metadata: { uid: 'u1', resourceVersion: '7' },
          status: { phase: 'Degraded', restarts: 2, podName: null, conditions: [audited, { type: 'Ready' }] },
        },
      },
    ]);
  });

  it('lets an agent go whose spec lets nothing be changed', async () => {
    const answers = [Promise.reject(new KubeStatusError({ statusCode: 422, reason: 'Invalid', message: 'no' }))];
    const { writer, requests } = writerWithLog(() => answers.shift() ?? Promise.resolve({}));
    await writer.setFinalizer(agent(['b', OURS, 'a']), false);
    expect(requests.slice(1)).toEqual([
      {
        method: 'PATCH',
        path: PATH,
        query: { fieldManager: 'hermes-gitops-controller' },
        contentType: 'application/json-patch+json',
        body: [
          { op: 'test', path: '/metadata/uid', value: 'u1' },
          { op: 'add', path: '/metadata/resourceVersion', value: '7' },
          { op: 'add', path: '/metadata/finalizers', value: ['b', 'a'] },
          { op: 'add', path: '/spec', value: { image: 'none', storage: { existingClaimName: 'none' } } },
        ],
      },
    ]);
  });

  it.each([
    { title: 'add the finalizer', statusCode: 422, isPresent: true },
    { title: 'remove it from another state', statusCode: 409, isPresent: false },
  ])('changes no spec to $title', async ({ statusCode, isPresent }) => {
    const error = new KubeStatusError({ statusCode, reason: '', message: 'no' });
    const { writer, requests } = writerWithLog(() => Promise.reject(error));
    await expect(writer.setFinalizer(agent([OURS]), isPresent)).rejects.toBe(error);
    expect(requests).toHaveLength(1);
  });

  it('does not insist when the agent is no longer the one that was read', async () => {
    const error = new KubeStatusError({ statusCode: 409, reason: 'Conflict', message: 'no' });
    const { writer, requests } = writerWithLog(() => Promise.reject(error));
    await expect(writer.applyStatus(agent(), { phase: 'Ready' })).rejects.toBe(error);
    expect(requests).toHaveLength(1);
  });

  it.each([
    { title: 'adds ours to none', had: undefined, isPresent: true, want: [OURS] },
    { title: 'adds ours behind others', had: ['b', 'a'], isPresent: true, want: ['b', 'a', OURS] },
    { title: 'removes ours and nothing else', had: ['b', OURS, 'a'], isPresent: false, want: ['b', 'a'] },
  ])('$title, on the very state that was read', async ({ had, isPresent, want }) => {
    const { writer, requests } = writerWithLog();
    await writer.setFinalizer(agent(had), isPresent);
    expect(requests).toEqual([
      {
        method: 'PATCH',
        path: PATH,
        query: { fieldManager: 'hermes-gitops-controller' },
        contentType: 'application/merge-patch+json',
        body: { metadata: { uid: 'u1', resourceVersion: '7', finalizers: want } },
      },
    ]);
  });

  it('reads nothing where nothing is, and rejects for every other failure', async () => {
    const failing = (statusCode: number): ReturnType<typeof writerWithLog> =>
      writerWithLog(() => Promise.reject(new KubeStatusError({ statusCode, reason: '', message: 'no' })));
    expect(await failing(404).writer.read(agent())).toBeUndefined();
    await expect(failing(500).writer.read(agent())).rejects.toMatchObject({ statusCode: 500 });
  });
});
