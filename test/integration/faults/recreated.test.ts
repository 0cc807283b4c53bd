import { afterAll, beforeAll, expect, it } from 'vitest';
import { createNamespace, describeOnBed, sharedBed } from '../../cluster/bed.js';
import { waitFor } from '../../cluster/wait.js';
import { AgentsOnBed, bareAgent, conditionOf } from '../../support/agents-on-bed.js';
import { hostController, type ControllerHost } from '../../support/controller-host.js';
import { type ControllerProcess } from '../../support/controller-process.js';
import { startFaultyProxy, type FaultyProxy } from '../../support/faulty-proxy.js';

describeOnBed('an agent that is deleted and made again between read and write', () => {
  const bed = sharedBed();
  const { client, server, ca } = bed;
  let agents: AgentsOnBed;
  let host: ControllerHost;
  let controller: ControllerProcess;
  let proxy: FaultyProxy;
  let letGo: (() => void) | undefined;
  const held: string[] = [];
  const answers: number[] = [];

  beforeAll(async () => {
    agents = new AgentsOnBed(client, await createNamespace(client, 'recreated'));
    host = await hostController(bed);
    proxy = await startFaultyProxy(
      { server, ca, token: host.token },
      {
        onRequest: async ({ method, path }) => {
          if (method !== 'PATCH' || !path.endsWith('/status') || held.length > 0) return;
          held.push(path);
          await new Promise<void>((resolve) => {
            letGo = resolve;
          });
        },
        onAnswer: ({ method, path }, code) => {
          if (method === 'PATCH' && path.endsWith('/status')) answers.push(code);
        },
      },
    );
    controller = await host.start([`--namespaces=${agents.namespace}`], { kubeconfig: proxy.kubeconfig });
  });
  afterAll(async () => {
    letGo?.();
    await proxy.stop();
    await host.stop();
  });

  it('gets nothing of what was true of its predecessor', async () => {
    const former = await client.create(agents.path(), bareAgent('mina', agents.namespace, { suspend: true }));
    await waitFor(() => Promise.resolve(held.length > 0), { what: 'a write under way' });
    await client.mergePatch(agents.path('mina'), { metadata: { finalizers: null } });
    await client.delete(agents.path('mina'));
    await agents.gone('mina');
    const next = await client.create(agents.path(), bareAgent('mina', agents.namespace));
    expect(next.metadata.uid).not.toBe(former.metadata.uid);
    letGo?.();

    const status = await agents.reach('mina', 'Provisioning');
    expect(answers[0]).toBe(409);
    expect(conditionOf(status, 'Ready')).toMatchObject({ status: 'False' });
    expect(answers.filter((code) => code === 200)).toEqual([200]);
    const series = (await agents.series(controller)).filter((line) => line.endsWith(' 1') && line.includes('phase="'));
    expect(series).toEqual([`hermes_agent_phase{name="mina",namespace="${agents.namespace}",phase="Provisioning"} 1`]);
  });
});
