import { afterAll, beforeAll, expect, it } from 'vitest';
import { UNAVOIDABLE_CLUSTER_RULES } from '../../../charts/install/cluster-role.js';
import { namespaceRights } from '../../../charts/install/namespace-role.js';
import { createNamespace, describeOnBed, sharedBed } from '../../cluster/bed.js';
import { type KubeManifest, pathOf } from '../../cluster/client.js';
import { eventually } from '../../cluster/wait.js';
import { AgentsOnBed, bareAgent, conditionOf, controllerReady, renderedAgent } from '../../support/agents-on-bed.js';
import { hostController, type ControllerHost } from '../../support/controller-host.js';
import type { ControllerProcess } from '../../support/controller-process.js';
import { READER_ROLE, WHOLE_GATES, wholeAgent } from '../../support/whole-agent.js';

const ROLE = '/apis/rbac.authorization.k8s.io/v1/clusterroles/hermes-gitops-controller';
const VIEW = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };

/** The suite itself fails if anything is asked for that the Roles do not grant: see the host. */
describeOnBed('a controller for some namespaces', () => {
  const bed = sharedBed();
  const { client } = bed;
  let agents: AgentsOnBed;
  let second: AgentsOnBed;
  let outside: AgentsOnBed;
  let host: ControllerHost;
  let controller: ControllerProcess;

  beforeAll(async () => {
    agents = new AgentsOnBed(client, await createNamespace(client, 'team-a'));
    second = new AgentsOnBed(client, await createNamespace(client, 'team-b'));
    outside = new AgentsOnBed(client, await createNamespace(client, 'team-c'));
    host = await hostController(bed, { ...WHOLE_GATES, allowedBindingNamespaces: [second.namespace] });
    await client.mergePatch(ROLE, { rules: UNAVOIDABLE_CLUSTER_RULES });
    for (const { namespace } of [agents, second]) {
      for (const object of Object.values(namespaceRights())) {
        await client.apply({ ...object, metadata: { ...object.metadata, namespace } });
      }
    }
    controller = await host.start([`--namespaces=${agents.namespace},${second.namespace}`]);
    await controllerReady(controller);
  });
  afterAll(async () => {
    await host.stop();
    await client.delete(`/apis/rbac.authorization.k8s.io/v1/clusterroles/${READER_ROLE}`);
  });

  it('needs the Role in each of them for the whole life of an agent, bindings in the other one included', async () => {
    const gates = { allowedClusterRoles: [], allowedBindingNamespaces: [second.namespace] };
    const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    const role: KubeManifest = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'readers', namespace: second.namespace },
      rules: [],
    };
    const spec = {
      suspend: true,
      storage: { persistentVolumeClaim: claim, retainPolicy: 'Delete' },
      rbac: { roleBindings: [{ namespace: second.namespace, roleRef: { ...VIEW, kind: 'Role', name: 'readers' } }] },
    };
    const objects = renderedAgent('mina', agents.namespace, spec, gates);
    await agents.apply([role, ...objects]);
    await second.apply([bareAgent('mira', second.namespace, { suspend: true })]);
    await outside.apply([bareAgent('moss', outside.namespace, { suspend: true })]);
    await second.reach('mira', 'Suspended');
    const status = await agents.reach('mina', 'Suspended');
    expect(conditionOf(status, 'RBACSynced')).toMatchObject({ status: 'True' });
    await client.delete(agents.path('mina'));
    await agents.gone('mina');
    expect(await agents.left(objects)).toEqual([]);
    expect(await outside.status('moss')).toEqual({ observedGeneration: -1 });
  });

  it('says what it may not see, and names the command that finishes what it may not do', async () => {
    const { beside, objects } = wholeAgent('wide', agents.namespace);
    await agents.apply([...beside, ...objects]);
    await eventually(async () => {
      expect(conditionOf(await agents.status('wide'), 'RBACSynced')).toMatchObject({
        status: 'Unknown',
        reason: 'ReadFailed',
        message: expect.stringContaining('bindings of the cluster are not watched') as string,
      });
    });
    await client.delete(agents.path('wide'));
    await agents.gone('wide');
    const wide = objects.filter(({ metadata }) => metadata.namespace === undefined);
    expect(await agents.left(objects)).toEqual(wide.map(({ kind, metadata }) => `${kind} ${metadata.name}`));
    const labels = `hermes-gitops.dev/agent=wide,hermes-gitops.dev/agent-namespace=${agents.namespace}`;
    await eventually(async () => {
      const events = await client.list(`/apis/events.k8s.io/v1/namespaces/${agents.namespace}/events`);
      const kept = events.filter(({ reason }) => reason === 'BindingsKept').map(({ note }) => note as string);
      expect(kept).toEqual([expect.stringContaining(`kubectl delete clusterrolebindings -l ${labels}`)]);
    });
    for (const object of wide) await client.delete(pathOf(object));
  });
});
