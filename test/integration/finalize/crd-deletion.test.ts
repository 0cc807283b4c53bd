import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createNamespace, describeOnBed } from '../../cluster/bed.js';
import { startCluster, type Cluster } from '../../cluster/cluster.js';
import { installCrds } from '../../cluster/install-crds.js';
import { eventually, waitFor } from '../../cluster/wait.js';
import { AgentsOnBed, bareAgent, controllerReady, describeObject, renderedAgent } from '../../support/agents-on-bed.js';
import { hostController, type ControllerHost } from '../../support/controller-host.js';
import { fetchPage, type ControllerProcess } from '../../support/controller-process.js';
import { startFaultyProxy, type FaultyProxy } from '../../support/faulty-proxy.js';

const CRD = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/hermesagents.hermes-gitops.dev';
const WINDOW_MS = 8000;
/** One a second and less: the waits double. */
const MOST_LISTS = 6;

describeOnBed('the CRD when it is deleted under a running controller', () => {
  let cluster: Cluster;
  let agents: AgentsOnBed;
  let proxy: FaultyProxy;
  let host: ControllerHost;
  let controller: ControllerProcess;

  beforeAll(async () => {
    cluster = await startCluster({ apiServerOnly: true });
    agents = new AgentsOnBed(cluster.client, await createNamespace(cluster.client, 'kind'));
    host = await hostController(cluster);
    proxy = await startFaultyProxy({ server: cluster.server, ca: cluster.ca, token: host.token });
    controller = await host.start([], { kubeconfig: proxy.kubeconfig });
  });
  afterAll(() => cluster.stop());
  afterAll(async () => {
    await proxy.stop();
    await host.stop();
  });

  it('takes the agents and none of their children, and the controller waits for its return', async () => {
    const { client } = cluster;
    const { namespace } = agents;
    const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    const storage = { persistentVolumeClaim: claim, retainPolicy: 'Delete' };
    const names = ['a', 'b', 'c', 'd'];
    const sets = names.map((name) => renderedAgent(name, namespace, { suspend: true, storage }));
    const children = sets.flatMap((set) => set.slice(1));
    for (const set of sets) await agents.apply(set);
    for (const name of names) await agents.reach(name, 'Suspended');

    await client.delete(CRD);
    await waitFor(async () => (await client.find(CRD)) === undefined, { what: 'the CRD to go' });
    expect(await agents.left(children)).toEqual(children.map(describeObject));
    await eventually(async () => {
      expect(await agents.series(controller)).toEqual([]);
    });
    await eventually(async () => {
      const events = await client.list(`/apis/events.k8s.io/v1/namespaces/${namespace}/events`);
      const kept = events.filter(({ reason }) => reason === 'ChildrenKept');
      expect(kept.map((event) => (event['regarding'] as { name: string }).name).sort()).toEqual(names);
    });

    const before = proxy.requests.length;
    await pause(WINDOW_MS);
    const asked = proxy.requests.slice(before).filter(({ path }) => path.endsWith('/hermesagents'));
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.length).toBeLessThanOrEqual(MOST_LISTS);
    expect((await fetchPage(`${controller.healthUrl}/healthz`)).status).toBe(200);
    expect(await agents.left(children)).toEqual(children.map(describeObject));

    await installCrds(client);
    await client.create(agents.path(), bareAgent('later', namespace, { suspend: true }));
    await agents.reach('later', 'Suspended');
    expect(await agents.series(controller)).toContain(
      `hermes_agent_phase{name="later",namespace="${namespace}",phase="Suspended"} 1`,
    );
    await controllerReady(controller);
  });
});
