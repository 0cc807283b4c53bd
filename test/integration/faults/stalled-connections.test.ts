import { afterAll, beforeAll, expect, it } from 'vitest';
import { createNamespace, describeOnBed, sharedBed } from '../../cluster/bed.js';
import { waitFor } from '../../cluster/wait.js';
import { AgentsOnBed, bareAgent, controllerReady } from '../../support/agents-on-bed.js';
import { hostController, type ControllerHost } from '../../support/controller-host.js';
import { fetchPage, type ControllerProcess } from '../../support/controller-process.js';
import { startFaultyProxy, type FaultyProxy } from '../../support/faulty-proxy.js';

const RECOVERY_MS = 110_000;

describeOnBed('connections that say nothing more and are never closed', () => {
  const bed = sharedBed();
  const { client, server, ca } = bed;
  let agents: AgentsOnBed;
  let host: ControllerHost;
  let controller: ControllerProcess;
  let proxy: FaultyProxy;

  beforeAll(async () => {
    agents = new AgentsOnBed(client, await createNamespace(client, 'stalled'));
    host = await hostController(bed);
    proxy = await startFaultyProxy({ server, ca, token: host.token });
    controller = await host.start([`--namespaces=${agents.namespace}`], { kubeconfig: proxy.kubeconfig });
  });
  afterAll(async () => {
    await proxy.stop();
    await host.stop();
  });

  it('are given up by themselves, and what was missed is made good', { timeout: 150_000 }, async () => {
    for (const name of ['on', 'gone']) await client.create(agents.path(), bareAgent(name, agents.namespace));
    for (const name of ['on', 'gone']) await agents.reach(name, 'Provisioning');
    await controllerReady(controller);

    proxy.stall();
    await client.mergePatch(agents.path('on'), { spec: { suspend: true } });
    await client.mergePatch(agents.path('gone'), { metadata: { finalizers: null } });
    await client.delete(agents.path('gone'));
    await client.create(agents.path(), bareAgent('new', agents.namespace, { suspend: true }));
    expect((await agents.status('on')).phase).toBe('Provisioning');
    expect((await fetchPage(`${controller.healthUrl}/healthz`)).status).toBe(200);
    proxy.resume();

    await agents.reach('on', 'Suspended', RECOVERY_MS);
    await agents.reach('new', 'Suspended', RECOVERY_MS);
    await waitFor(async () => !(await agents.series(controller)).some((line) => line.includes('name="gone"')), {
      what: 'the series of the agent that went to go',
    });
    expect((await fetchPage(`${controller.healthUrl}/healthz`)).status).toBe(200);
    await controllerReady(controller, RECOVERY_MS);
  });
});
