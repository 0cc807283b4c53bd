import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createNamespace, describeOnBed, sharedBed } from '../../cluster/bed.js';
import { untilStill } from '../../cluster/wait.js';
import { type KubeManifest, pathOf } from '../../cluster/client.js';
import { AgentsOnBed, describeObject, renderedAgent } from '../../support/agents-on-bed.js';
import { hostController, type ControllerHost } from '../../support/controller-host.js';

const ROLE_REF = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };

describeOnBed('objects with the labels of an agent that is not theirs', () => {
  const bed = sharedBed();
  const { client } = bed;
  let agents: AgentsOnBed;
  let other: string;
  let host: ControllerHost;
  let forged: readonly KubeManifest[] = [];

  beforeAll(async () => {
    agents = new AgentsOnBed(client, await createNamespace(client, 'forged'));
    other = await createNamespace(client, 'forged-other');
    host = await hostController(bed, { allowedClusterRoles: ['view'], allowedBindingNamespaces: [other] });
    await host.start();
  });
  afterAll(async () => {
    await host.stop();
    for (const object of forged.filter(({ metadata }) => metadata.namespace === undefined))
      await client.delete(pathOf(object));
  });

  /** Everything that could be mistaken for a part of the agent, in its own namespace and in another. */
  function forgedFor(name: string): readonly KubeManifest[] {
    const labels = {
      'app.kubernetes.io/name': 'hermes-agent',
      'app.kubernetes.io/managed-by': 'hermes-gitops',
      'hermes-gitops.dev/agent': name,
      'hermes-gitops.dev/agent-namespace': agents.namespace,
      'hermes-gitops.dev/component': 'gateway',
    };
    const container = { name: 'hermes', image: 'registry.example.net/forged:v9' };
    const template = { metadata: { labels }, spec: { containers: [container] } };
    const make = (apiVersion: string, kind: string, namespace: string, rest: object): KubeManifest => ({
      apiVersion,
      kind,
      // The names that rendering gives, where they are free: in the other namespace.
      metadata: { name: namespace === other ? `hermes-${name}` : `${name}-forged`, namespace, labels },
      ...rest,
    });
    const subjects = [{ kind: 'ServiceAccount', name: `hermes-${name}`, namespace: agents.namespace }];
    const isIn = (namespace: string): readonly KubeManifest[] => [
      make('v1', 'Pod', namespace, { spec: { containers: [container] } }),
      make('apps/v1', 'Deployment', namespace, {
        spec: { replicas: 1, selector: { matchLabels: { 'hermes-gitops.dev/agent': name } }, template },
      }),
      make('batch/v1', 'Job', namespace, {
        spec: { suspend: true, template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } } },
      }),
      make('v1', 'PersistentVolumeClaim', namespace, {
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      }),
      make('v1', 'Service', namespace, { spec: { ports: [{ port: 80 }] } }),
      make('rbac.authorization.k8s.io/v1', 'RoleBinding', namespace, { roleRef: ROLE_REF, subjects }),
    ];
    const cluster: KubeManifest = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: `hermes-${agents.namespace}-${name}-00000000`, labels },
      roleRef: ROLE_REF,
      subjects,
    };
    return [...isIn(agents.namespace), ...isIn(other), cluster];
  }

  it('change no status, and outlive the agent', async () => {
    const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    const objects = renderedAgent('mina', agents.namespace, {
      suspend: true,
      storage: { persistentVolumeClaim: claim, retainPolicy: 'Delete' },
    });
    await agents.apply(objects);
    await agents.reach('mina', 'Suspended');
    const before = await untilStill(() => client.get(agents.path('mina')));

    forged = forgedFor('mina');
    await agents.apply(forged);
    await pause(3000);
    const after = await client.get(agents.path('mina'));
    expect(after['status']).toEqual(before['status']);
    expect(after.metadata.resourceVersion).toBe(before.metadata.resourceVersion);

    await client.delete(agents.path('mina'));
    await agents.gone('mina');
    expect(await agents.left(objects)).toEqual([]);
    await pause(1000);
    expect(await agents.left(forged)).toEqual(forged.map(describeObject));
  });
});
