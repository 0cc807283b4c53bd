import { afterAll, beforeAll, expect, it } from 'vitest';
import { CONTROLLER_RULES } from '../../../charts/install/cluster-role.js';
import { createNamespace, describeOnBed, sharedBed } from '../../cluster/bed.js';
import { eventually, waitFor } from '../../cluster/wait.js';
import { AgentsOnBed, bareAgent, conditionOf, describeObject, renderedAgent } from '../../support/agents-on-bed.js';
import { hostController, type ControllerHost } from '../../support/controller-host.js';
import { rulesWithout } from '../../support/granted-rights.js';

const ROLE_REF = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
const ROLE = '/apis/rbac.authorization.k8s.io/v1/clusterroles/hermes-gitops-controller';

const isRemoved = (right: string): boolean => /^delete .*\/(cluster)?rolebindings$/.test(right);

describeOnBed('a controller that may not delete bindings', () => {
  const bed = sharedBed();
  const { client } = bed;
  let agents: AgentsOnBed;
  let host: ControllerHost;

  beforeAll(async () => {
    agents = new AgentsOnBed(client, await createNamespace(client, 'permission'));
    host = await hostController(bed, { allowedClusterRoles: ['view'], isMeant: isRemoved });
    await client.mergePatch(ROLE, { rules: rulesWithout(CONTROLLER_RULES, isRemoved) });
    await host.start();
  });
  afterAll(() => host.stop());

  it('says so, holds that agent alone, and goes on by itself once it may', async () => {
    const { namespace } = agents;
    const gates = { allowedClusterRoles: ['view'], allowedBindingNamespaces: [] };
    const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    const storage = { persistentVolumeClaim: claim, retainPolicy: 'Delete' };
    const spec = { suspend: true, storage, rbac: { clusterRoleBindings: [{ roleRef: ROLE_REF }] } };
    const objects = renderedAgent('bound', namespace, spec, gates);
    const bindings = objects.filter(({ kind }) => kind.endsWith('Binding'));
    await agents.apply(objects);
    await agents.reach('bound', 'Suspended');
    await client.delete(agents.path('bound'));

    const status = await waitFor(
      async () => {
        const seen = await agents.status('bound');
        return conditionOf(seen, 'Stalled')?.reason === 'DeleteBlocked' && seen;
      },
      { what: 'a blocked deletion' },
    );
    const stalled = conditionOf(status, 'Stalled');
    expect(stalled).toMatchObject({ status: 'True' });
    for (const binding of bindings) expect(stalled?.message).toContain(describeObject(binding));
    expect(stalled?.message).toContain('cannot delete resource "clusterrolebindings"');
    expect(conditionOf(status, 'Ready')).toMatchObject({ status: 'False', reason: 'DeleteBlocked' });
    expect(conditionOf(status, 'Reconciling')).toBeUndefined();
    await eventually(async () => {
      const events = await client.list(`/apis/events.k8s.io/v1/namespaces/${namespace}/events`);
      const reasons = events.filter(({ type }) => type === 'Warning').map(({ reason }) => reason as string);
      expect(reasons).toEqual(['DeleteBlocked']);
    });
    expect(await agents.left(objects.slice(1))).toEqual(bindings.map(describeObject));

    await client.create(agents.path(), bareAgent('free', namespace, { suspend: true }));
    await agents.reach('free', 'Suspended');
    await client.delete(agents.path('free'));
    await agents.gone('free');

    await client.mergePatch(ROLE, { rules: CONTROLLER_RULES });
    await agents.gone('bound');
    expect(await agents.left(objects)).toEqual([]);
  });
});
