import { describe, expect, it } from 'vitest';
import { dryRunApply } from '../../../../cli/plan/dry-run.js';
import type { KubeApi, KubeRequest } from '../../../../controller/kube/client.js';
import { KubeStatusError } from '../../../../controller/kube/errors.js';
import type { PlannedObject } from '../../../../lib/plan/compare.js';

const RENDERED: PlannedObject = {
  apiVersion: 'hermes-gitops.dev/v1alpha1',
  kind: 'HermesAgent',
  metadata: { name: 'mia', namespace: 'lab' },
  spec: { image: 'v2' },
};
const APPLIED = { ...RENDERED, spec: { image: 'v1', suspend: true } };
/** As a client-side apply left it. */
const LIVE = {
  ...APPLIED,
  metadata: {
    ...APPLIED.metadata,
    annotations: { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(APPLIED) },
  },
};

const failure = (statusCode: number, message: string): KubeStatusError =>
  new KubeStatusError({ statusCode, reason: '', message });

/** An API server that answers as told, one method at a time, and what it was asked. */
function api(answers: Readonly<Record<string, (count: number) => unknown>>): { api: KubeApi; asked: string[] } {
  const asked: string[] = [];
  const request = ({ method }: KubeRequest): Promise<unknown> => {
    asked.push(method);
    const answer = answers[method]?.(asked.filter((one) => one === method).length);
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  return { api: { request, now: () => 0 }, asked };
}

describe('a dry run', () => {
  it('asks again when the object has changed since it was read', async () => {
    const { api: server, asked } = api({
      GET: () => LIVE,
      PATCH: () => ({ ...LIVE, spec: { image: 'v2', suspend: true } }),
      PUT: (count) => (count === 1 ? failure(409, 'the object has been modified') : { ...LIVE, spec: { image: 'v2' } }),
    });
    const { after, refused } = await dryRunApply(server, RENDERED);
    expect([after.spec, refused]).toEqual([{ image: 'v2' }, []]);
    expect(asked).toEqual(['GET', 'PATCH', 'PUT', 'GET', 'PATCH', 'PUT']);
  });

  it('leaves annotations of others in place where none is rendered', async () => {
    const annotations = {
      'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({ ...APPLIED, metadata: { annotations: {} } }),
      'example.net/note': 'mine',
    };
    const live = { ...APPLIED, metadata: { ...APPLIED.metadata, annotations } };
    const { api: server, asked } = api({ GET: () => live, PATCH: () => live });
    const { before, after } = await dryRunApply(server, APPLIED);
    expect(after.metadata.annotations).toEqual({ 'example.net/note': 'mine' });
    expect([after, asked]).toEqual([before, ['GET', 'PATCH']]);
  });

  it('gives up on an object that never holds still', async () => {
    const { api: server } = api({
      GET: () => LIVE,
      PATCH: () => ({ ...LIVE, spec: { image: 'v2', suspend: true } }),
      PUT: () => failure(409, 'the object has been modified'),
    });
    await expect(dryRunApply(server, RENDERED)).rejects.toThrow('the object has been modified');
  });

  it.each([
    ['HTTP status 404', 'the cluster does not serve HermesAgent of hermes-gitops.dev/v1alpha1 yet'],
    ['namespaces "lab" not found', 'namespace lab does not exist yet'],
  ])('cannot be where there is no place for the object: %s', async (message, missing) => {
    const absent = (): Error => failure(404, message);
    const { refused } = await dryRunApply(api({ GET: absent, PATCH: absent }).api, RENDERED);
    expect(refused).toEqual([
      {
        object: { group: 'hermes-gitops.dev', kind: 'HermesAgent', namespace: 'lab', name: 'mia' },
        path: '',
        message: `${missing}, so the API server could not be asked`,
        certain: false,
      },
    ]);
  });
});
