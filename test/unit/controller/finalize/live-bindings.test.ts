import { describe, expect, it } from 'vitest';
import { liveBindings } from '../../../../controller/finalize/live-bindings.js';
import type { KubeRequest } from '../../../../controller/kube/client.js';

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
    const found = await liveBindings({ request, now: () => 0 }, namespaces)(AGENT);
    expect(requests.map(({ path }) => path)).toEqual(paths);
    const selector = 'hermes-gitops.dev/agent=mia,hermes-gitops.dev/agent-namespace=lab';
    expect(new Set(requests.map(({ query }) => query?.['labelSelector']))).toEqual(new Set([selector]));
    expect(found.map(({ metadata }) => metadata)).toEqual(
      paths.map((path) => ({ name: `of ${path}`, uid: 'b', resourceVersion: '2' })),
    );
  });
});
