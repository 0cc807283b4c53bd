import { afterAll, beforeAll, expect, it } from 'vitest';
import { createNamespace, describeOnBed, provisionVolumes, sharedBed } from '../../cluster/bed.js';
import { type KubeManifest, pathOf } from '../../cluster/client.js';
import { waitFor } from '../../cluster/wait.js';
import { AgentsOnBed, describeObject, renderedAgent } from '../../support/agents-on-bed.js';
import { hostController, type ControllerHost } from '../../support/controller-host.js';
import { type ControllerProcess } from '../../support/controller-process.js';
import { startFaultyProxy, type FaultyProxy } from '../../support/faulty-proxy.js';

const ROLE_REF = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
const MAX_LIVES = 30;

describeOnBed('a controller that is killed after every single write', () => {
  const bed = sharedBed();
  const { client, server, ca } = bed;
  let agents: AgentsOnBed;
  let other: string;
  let host: ControllerHost;
  let proxy: FaultyProxy;
  let stopVolumes: () => Promise<void>;
  let life: Promise<ControllerProcess>;
  const writes: string[] = [];

  beforeAll(async () => {
    agents = new AgentsOnBed(client, await createNamespace(client, 'killed'));
    other = await createNamespace(client, 'killed-other');
    stopVolumes = provisionVolumes(client);
    host = await hostController(bed, { allowedClusterRoles: ['view'], allowedBindingNamespaces: [other] });
    proxy = await startFaultyProxy(
      { server, ca, token: host.token },
      {
        onAnswer: async ({ method, path }) => {
          if (method !== 'DELETE' && method !== 'PATCH') return;
          writes.push(`${method} ${path}`);
          await (await life).end('SIGKILL');
        },
      },
    );
  });
  afterAll(async () => {
    await (await life).end('SIGKILL');
    await proxy.stop();
    await stopVolumes();
    await host.stop();
  });

  const flags = (): readonly string[] => [
    `--namespaces=${agents.namespace},${other}`,
    // One write at a time, or a kill would not fall between two.
    '--concurrency=1',
  ];

  it('finishes what it began, step by step, and touches nothing else', async () => {
    const gates = { allowedClusterRoles: ['view'], allowedBindingNamespaces: [other] };
    const rbac = { roleBindings: [{ namespace: other, roleRef: ROLE_REF }] };
    const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    const spec = {
      rbac,
      storage: { persistentVolumeClaim: claim, retainPolicy: 'Delete' },
      networkPolicy: { enabled: true, policyTypes: ['Egress'], egress: [{}] },
    };
    const objects = renderedAgent('mina', agents.namespace, spec, gates);
    const neighbour = renderedAgent('mira', agents.namespace, { rbac }, gates);
    await agents.apply([...objects, ...neighbour]);
    life = host.start(flags());
    await Promise.all([agents.reach('mina', 'Ready'), agents.reach('mira', 'Ready')]);
    await (await life).end('SIGTERM');
    await client.delete(agents.path('mina'));

    let lives = 0;
    while ((await client.find(agents.path('mina'))) !== undefined && lives < MAX_LIVES) {
      lives += 1;
      const before = writes.length;
      life = host.start(flags(), { kubeconfig: proxy.kubeconfig });
      await life;
      await waitFor(() => Promise.resolve(writes.length > before), { what: 'the next write' });
      await (await life).end('SIGKILL');
    }

    const children = objects.slice(1).map((object: KubeManifest) => `DELETE ${pathOf(object)}`);
    expect([...writes].sort()).toEqual([...children, `PATCH ${agents.path('mina')}`].sort());
    expect(writes.at(-1)).toBe(`PATCH ${agents.path('mina')}`);
    expect(lives).toBe(writes.length);
    expect(await agents.left(objects)).toEqual([]);
    expect(await agents.left(neighbour)).toEqual(neighbour.map(describeObject));
  });
});
