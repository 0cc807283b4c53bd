import { afterAll, beforeAll, expect, it } from 'vitest';
import { UNAVOIDABLE_CLUSTER_RULES } from '../../../charts/install/cluster-role.js';
import { namespaceRights } from '../../../charts/install/namespace-role.js';
import { createNamespace, describeOnBed, sharedBed } from '../../cluster/bed.js';
import type { KubeManifest } from '../../cluster/client.js';
import { eventually, waitFor } from '../../cluster/wait.js';
import { AgentsOnBed, bareAgent, conditionOf, controllerReady, renderedAgent } from '../../support/agents-on-bed.js';
import { hostController, type ControllerHost } from '../../support/controller-host.js';
import { fetchPage, type ControllerProcess } from '../../support/controller-process.js';
import { RunsOnBed } from '../../support/runs-on-bed.js';

const RBAC = 'rbac.authorization.k8s.io';
const ROLE = `/apis/${RBAC}/v1/clusterroles/hermes-gitops-controller`;

describeOnBed('a controller for some namespaces, of which one has no Role and one is not there', () => {
  const bed = sharedBed();
  const { client } = bed;
  let home: AgentsOnBed;
  let dark: AgentsOnBed;
  let absent: string;
  let host: ControllerHost;
  let controller: ControllerProcess;

  const grant = async (namespace: string): Promise<void> => {
    for (const object of Object.values(namespaceRights())) {
      await client.apply({ ...object, metadata: { ...object.metadata, namespace } });
    }
  };

  /** An agent of the first namespace and its children, a binding in the second one among them. */
  const reaching = (name: string): readonly KubeManifest[] =>
    renderedAgent(
      name,
      home.namespace,
      {
        suspend: true,
        rbac: {
          roleBindings: [{ namespace: dark.namespace, roleRef: { apiGroup: RBAC, kind: 'Role', name: 'readers' } }],
        },
      },
      { allowedClusterRoles: [], allowedBindingNamespaces: [dark.namespace] },
    );

  const health = async (): Promise<readonly number[]> =>
    Promise.all(['healthz', 'readyz'].map(async (page) => (await fetchPage(`${controller.healthUrl}/${page}`)).status));

  beforeAll(async () => {
    home = new AgentsOnBed(client, await createNamespace(client, 'home'));
    dark = new AgentsOnBed(client, await createNamespace(client, 'dark'));
    absent = `absent-${home.namespace}`;
    host = await hostController(bed, { allowedBindingNamespaces: [dark.namespace], isMeant: () => true });
    await client.mergePatch(ROLE, { rules: UNAVOIDABLE_CLUSTER_RULES });
    await grant(home.namespace);
    const metadata = { name: 'readers', namespace: dark.namespace };
    await client.apply({ apiVersion: `${RBAC}/v1`, kind: 'Role', metadata, rules: [] });
    controller = await host.start([`--namespaces=${home.namespace},${dark.namespace},${absent}`]);
  });
  afterAll(() => host.stop());

  it('looks after the others, and holds only who may have rights where it cannot look', async () => {
    const runs = new RunsOnBed(client, home.namespace);
    await runs.start('job');
    await dark.apply([bareAgent('unseen', dark.namespace, { suspend: true })]);
    await home.apply([
      bareAgent('plain', home.namespace, { suspend: true }),
      ...reaching('stays'),
      ...reaching('goes'),
    ]);
    await home.reach('plain', 'Suspended');
    for (const name of ['stays', 'goes']) {
      expect(conditionOf(await home.reach(name, 'Suspended'), 'RBACSynced')).toMatchObject({
        status: 'Unknown',
        reason: 'ReadFailed',
        message: `bindings of namespace ${dark.namespace} are not watched`,
      });
    }
    await runs.reach('job', 'Succeeded');
    expect(await dark.status('unseen')).toEqual({ observedGeneration: -1 });
    expect(await health()).toEqual([200, 503]);

    await client.delete(home.path('plain'));
    await home.gone('plain');
    await client.delete(home.path('goes'));
    const blocked = await waitFor(
      async () => {
        const seen = await home.status('goes');
        return conditionOf(seen, 'Stalled')?.reason === 'DeleteBlocked' && seen;
      },
      { what: 'a blocked deletion' },
    );
    const message = conditionOf(blocked, 'Stalled')?.message;
    expect(message).toContain(`bindings cannot be read: RoleBindings of namespace ${dark.namespace} (403 Forbidden: `);
    expect(message).toContain('cannot list resource "rolebindings"');
    const [binding] = reaching('goes').filter(({ metadata }) => metadata.namespace === dark.namespace);
    expect(await home.left(reaching('goes'))).toContain(
      `RoleBinding ${dark.namespace}/${binding?.metadata.name ?? ''}`,
    );
  });

  it('takes them up by itself once it may, and does without them again when they are gone', async () => {
    await client.create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: absent } });
    await grant(dark.namespace);
    await grant(absent);
    await controllerReady(controller, 90_000);
    await dark.reach('unseen', 'Suspended');
    await home.gone('goes');
    expect(await home.left(reaching('goes').filter(({ kind }) => kind.endsWith('Binding')))).toEqual([]);
    await eventually(async () => {
      expect(conditionOf(await home.status('stays'), 'RBACSynced')).toMatchObject({ status: 'True' });
    });

    await client.delete(dark.path('unseen'));
    await dark.gone('unseen');
    await client.delete(`/api/v1/namespaces/${dark.namespace}`);
    await waitFor(async () => (await client.find(`/api/v1/namespaces/${dark.namespace}`)) === undefined);
    await home.apply([bareAgent('later', home.namespace, { suspend: true })]);
    await home.reach('later', 'Suspended');
    await client.delete(home.path('later'));
    await home.gone('later');
  });
});
