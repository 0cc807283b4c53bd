import { describe, expect, it } from 'vitest';
import { liveBindings } from '../../../../controller/finalize/live-bindings.js';
import type { KubeRequest } from '../../../../controller/kube/client.js';
import { KubeStatusError } from '../../../../controller/kube/errors.js';
import { RESOURCES } from '../../../../controller/kube/resources.js';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const AGENT = { metadata: { name: 'mia', namespace: 'lab', uid: 'u', resourceVersion: '1', creationTimestamp: '' } };

describe('liveBindings', () => {
  it.each([
    { of: 'the cluster', namespaces: [], paths: [`${RBAC}/rolebindings`, `${RBAC}/clusterrolebindings`] },
    {
      of: 'two namespaces',
      namespaces: ['lab', 'tools'],
      paths: [`${RBAC}/namespaces/lab/rolebindings`, `${RBAC}/namespaces/tools/rolebindings`],
    },
  ])('asks for those of $of with the labels of the agent', async ({ namespaces, paths }) => {
    const requests: KubeRequest[] = [];
    const request = (sent: KubeRequest): Promise<unknown> => {
      requests.push(sent);
      const metadata = { name: `of ${sent.path}`, uid: 'b', resourceVersion: '2', managedFields: [] };
      return Promise.resolve({ metadata: { resourceVersion: '9' }, items: [{ metadata, roleRef: { name: 'view' } }] });
    };
    const { items: found, refused } = await liveBindings({ request, now: () => 0 }, namespaces)(AGENT);
    expect(refused).toEqual([]);
    expect(requests.map(({ path }) => path)).toEqual(paths);
    const selector = 'hermes-gitops.dev/agent=mia,hermes-gitops.dev/agent-namespace=lab';
    expect(new Set(requests.map(({ query }) => query?.['labelSelector']))).toEqual(new Set([selector]));
    expect(found.map(({ metadata }) => metadata)).toEqual(
      paths.map((path) => ({ name: `of ${path}`, uid: 'b', resourceVersion: '2' })),
    );
  });

  it.each([
    { title: 'tells of a namespace that it may not read, beside what it found in the others', statusCode: 403 },
    { title: 'rejects when a namespace cannot be read at the moment', statusCode: 503 },
  ])('$title', async ({ statusCode }) => {
    const error = new KubeStatusError({ statusCode, reason: '', message: 'no' });
    const metadata = { name: 'b', uid: 'b', resourceVersion: '2' };
    const request = ({ path }: KubeRequest): Promise<unknown> =>
      path.includes('/namespaces/gone/')
        ? Promise.reject(error)
        : Promise.resolve({ metadata: { resourceVersion: '9' }, items: [{ metadata }] });
    const found = liveBindings({ request, now: () => 0 }, ['lab', 'gone'])(AGENT);
    if (statusCode !== 403) return expect(found).rejects.toBe(error);
    const { items, refused } = await found;
    expect(items.map(({ metadata: { name } }) => name)).toEqual(['b']);
    expect(refused).toEqual([{ resource: RESOURCES.roleBindings, namespace: 'gone', error }]);
  });
});
