import { afterAll, beforeAll, expect, it } from 'vitest';
import { createNamespace, describeOnBed, provisionVolumes, sharedBed } from '../../cluster/bed.js';
import { type KubeManifest, pathOf } from '../../cluster/client.js';
import { eventually, waitFor } from '../../cluster/wait.js';
import { AgentsOnBed, describeObject, renderedAgent } from '../../support/agents-on-bed.js';
import { hostController, type ControllerHost } from '../../support/controller-host.js';
import { type ControllerProcess } from '../../support/controller-process.js';

const OURS = 'hermes-gitops.dev/finalizer';
const ROLE_REF = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };

describeOnBed('an agent that is deleted', () => {
  const bed = sharedBed();
  const { client } = bed;
  let agents: AgentsOnBed;
  let other: string;
  let host: ControllerHost;
  let controller: ControllerProcess;
  let stopVolumes: () => Promise<void>;

  beforeAll(async () => {
    agents = new AgentsOnBed(client, await createNamespace(client, 'deletion'));
    other = await createNamespace(client, 'deletion-other');
    stopVolumes = provisionVolumes(client);
    host = await hostController(bed, { allowedClusterRoles: ['view'], allowedBindingNamespaces: [other] });
    controller = await host.start();
  });
  afterAll(async () => {
    await stopVolumes();
    await host.stop();
  });

  const CLAIM = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };

  const bound = (): object => ({
    rbac: {
      roleBindings: [{ namespace: other, roleRef: ROLE_REF }],
      clusterRoleBindings: [{ roleRef: ROLE_REF }],
    },
  });

  const rendered = (name: string, spec: object = {}, namespace = agents.namespace): readonly KubeManifest[] =>
    renderedAgent(name, namespace, spec, { allowedClusterRoles: ['view'], allowedBindingNamespaces: [other] });

  const held = (name: string, namespace = agents.namespace): Promise<unknown> =>
    waitFor(
      async () => {
        const { metadata, status } = await client.get(new AgentsOnBed(client, namespace).path(name));
        return metadata.finalizers?.includes(OURS) === true && status?.observedGeneration === metadata.generation;
      },
      { what: `${name} to be held` },
    );

  const of = (objects: readonly KubeManifest[], kind: string): KubeManifest => {
    const found = objects.find((object) => object.kind === kind);
    if (found === undefined) throw new Error(`no ${kind} was rendered`);
    return found;
  };

  it('takes all that was rendered for it, what is switched off by now included, and nothing of anybody else', async () => {
    const spec = {
      ...bound(),
      storage: { persistentVolumeClaim: CLAIM, retainPolicy: 'Delete' },
      dashboard: { enabled: true, ingress: { enabled: true, host: 'all.example.net', ingressClassName: 'any' } },
      networkPolicy: { enabled: true, policyTypes: ['Egress'], egress: [{}] },
    };
    const objects = rendered('all', spec);
    const neighbour = rendered('all-2', bound());
    const namesake = rendered('all', bound(), other);
    for (const set of [objects, neighbour, namesake]) await agents.apply(set);
    await agents.reach('all', 'Ready');
    await agents.apply(
      rendered('all', { ...spec, dashboard: { enabled: false }, networkPolicy: { enabled: false } }).slice(0, 1),
    );
    await Promise.all([held('all'), held('all-2'), held('all', other)]);

    await client.delete(agents.path('all'));
    await agents.gone('all');
    await eventually(async () => {
      expect(await agents.left(objects)).toEqual([]);
    });
    expect(await agents.left([...neighbour, ...namesake])).toEqual([...neighbour, ...namesake].map(describeObject));
    expect((await agents.series(controller)).filter((line) => line.includes('name="all"'))).toEqual([]);
    await eventually(async () => {
      const pods = await client.list(`/api/v1/namespaces/${agents.namespace}/pods`, 'hermes-gitops.dev/agent=all');
      expect(pods).toEqual([]);
    });
  });

  it.each([
    { title: 'a claim that is to be retained', name: 'retain', storage: { persistentVolumeClaim: CLAIM } },
    {
      title: 'a claim that was there before',
      name: 'existing',
      storage: { existingClaimName: 'hermes-existing-data', retainPolicy: 'Delete' },
    },
  ])('leaves $title, and workloads of runs', async ({ name, storage }) => {
    const { namespace } = agents;
    const labels = {
      'app.kubernetes.io/managed-by': 'hermes-gitops',
      'hermes-gitops.dev/agent': name,
      'hermes-gitops.dev/agent-namespace': namespace,
    };
    const claim: KubeManifest = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: `hermes-${name}-data`, namespace, labels },
      spec: CLAIM,
    };
    const container = { name: 'hermes', image: 'registry.example.net/hermes:v1' };
    const job: KubeManifest = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: `hermes-run-${name}`, namespace, labels },
      spec: { suspend: true, template: { spec: { containers: [container], restartPolicy: 'Never' } } },
    };
    const objects = rendered(name, { storage });
    await agents.apply([...objects, claim, job]);
    await held(name);
    await client.delete(agents.path(name));
    await agents.gone(name);
    await eventually(async () => {
      expect(await agents.left(objects.filter(({ kind }) => kind !== 'PersistentVolumeClaim'))).toEqual([]);
    });
    expect(await agents.left([claim, job])).toEqual([claim, job].map(describeObject));
  });

  it('waits for no child that somebody else holds', async () => {
    const objects = rendered('stuck');
    await agents.apply(objects);
    const service = of(objects, 'Service');
    await client.mergePatch(pathOf(service), { metadata: { finalizers: ['example.org/hold'] } });
    await held('stuck');
    await client.delete(agents.path('stuck'));
    await agents.gone('stuck');
    const { metadata } = await client.get(pathOf(service));
    expect(metadata.deletionTimestamp).toBeDefined();
    expect(metadata.finalizers).toEqual(['example.org/hold']);
    await client.mergePatch(pathOf(service), { metadata: { finalizers: null } });
  });

  it('keeps the finalizers of others, in their order, and is no longer counted', async () => {
    const [agent] = rendered('audited');
    if (agent === undefined) throw new Error('no agent was rendered');
    const finalizers = ['example.org/audit', 'example.org/bill'];
    await client.create(agents.path(), { ...agent, metadata: { ...agent.metadata, finalizers } });
    await held('audited');
    await client.delete(agents.path('audited'));
    await eventually(async () => {
      expect((await client.get(agents.path('audited'))).metadata.finalizers).toEqual(finalizers);
    });
    expect((await agents.series(controller)).filter((line) => line.includes('name="audited"'))).toEqual([]);
    await client.mergePatch(agents.path('audited'), { metadata: { finalizers: null } });
    await agents.gone('audited');
  });

  it('goes with its namespace, and its rights elsewhere go too', async () => {
    const namespace = await createNamespace(client, 'deletion-ends');
    const objects = rendered('ending', bound(), namespace);
    await agents.apply(objects);
    await held('ending', namespace);
    await client.delete(`/api/v1/namespaces/${namespace}`);
    await waitFor(async () => (await client.find(`/api/v1/namespaces/${namespace}`)) === undefined, {
      what: 'the namespace to go',
    });
    const elsewhere = objects.filter(({ metadata }) => metadata.namespace !== namespace);
    expect(elsewhere.map(({ kind }) => kind).sort()).toEqual(['ClusterRoleBinding', 'RoleBinding']);
    expect(await agents.left(elsewhere)).toEqual([]);
  });
});
