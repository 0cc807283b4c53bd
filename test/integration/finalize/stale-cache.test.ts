import { afterAll, beforeAll, expect, it } from 'vitest';
import { createNamespace, describeOnBed, sharedBed } from '../../cluster/bed.js';
import { AgentsOnBed, describeObject, renderedAgent } from '../../support/agents-on-bed.js';
import { hostController, type ControllerHost } from '../../support/controller-host.js';
import { startFaultyProxy, type FaultyProxy } from '../../support/faulty-proxy.js';

const ROLE_REF = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
const GATES = { allowedClusterRoles: ['view'], allowedBindingNamespaces: [] };

describeOnBed('a cache that lags behind', () => {
  const bed = sharedBed();
  const { client, server, ca } = bed;
  let agents: AgentsOnBed;
  let host: ControllerHost;
  let proxy: FaultyProxy;
  let letGo: () => void = () => undefined;

  beforeAll(async () => {
    agents = new AgentsOnBed(client, await createNamespace(client, 'stale'));
    host = await hostController(bed, GATES);
    const released = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    proxy = await startFaultyProxy(
      { server, ca, token: host.token },
      // Bindings are listed at the start, and nothing is ever heard of them again.
      { onRequest: ({ path, isWatch }) => (isWatch && path.endsWith('bindings') ? released : undefined) },
    );
    await host.start([], { kubeconfig: proxy.kubeconfig });
  });
  afterAll(async () => {
    letGo();
    await proxy.stop();
    await host.stop();
  });

  it('lets no binding outlive its agent that was applied just before the agent was deleted', async () => {
    const rbac = {
      roleBindings: [{ namespace: agents.namespace, roleRef: ROLE_REF }],
      clusterRoleBindings: [{ roleRef: ROLE_REF }],
    };
    const objects = renderedAgent('mina', agents.namespace, { suspend: true, rbac }, GATES);
    const bindings = objects.filter(({ kind }) => kind.endsWith('Binding'));
    await agents.apply(objects.filter((object) => !bindings.includes(object)));
    await agents.reach('mina', 'Suspended');

    await agents.apply(bindings);
    expect(await agents.left(bindings)).toEqual(bindings.map(describeObject));
    await client.delete(agents.path('mina'));
    await agents.gone('mina');
    expect(bindings.map(({ kind }) => kind).sort()).toEqual(['ClusterRoleBinding', 'RoleBinding', 'RoleBinding']);
    expect(await agents.left(bindings)).toEqual([]);
  });
});
