import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createNamespace, describeOnBed, sharedBed } from '../../cluster/bed.js';
import type { KubeManifest } from '../../cluster/client.js';
import { waitFor } from '../../cluster/wait.js';
import { controllerReady } from '../../support/agents-on-bed.js';
import { hostController, type ControllerHost } from '../../support/controller-host.js';
import type { ControllerProcess } from '../../support/controller-process.js';
import { runWithJob, RunsOnBed } from '../../support/runs-on-bed.js';

const DEADLINE_SECONDS = 10;
const NODE = '/api/v1/nodes/node-0';

describeOnBed('a controller that is frozen while a deadline passes', () => {
  const bed = sharedBed();
  const { client } = bed;
  let runs: RunsOnBed;
  let host: ControllerHost;
  let controller: ControllerProcess;

  beforeAll(async () => {
    runs = new RunsOnBed(client, await createNamespace(client, 'frozen'));
    host = await hostController(bed);
    controller = await host.start();
    await controllerReady(controller);
  });
  afterAll(async () => {
    await client.mergePatch(NODE, { metadata: { labels: { gpu: null } } });
    await host.stop();
  });

  it('does not fail a run whose pod came in time', async () => {
    const [run, job] = runWithJob('late', runs.namespace, {
      spec: { startupDeadlineSeconds: DEADLINE_SECONDS },
      pod: 'running',
    }) as [KubeManifest, KubeManifest];
    const { template, ...spec } = job['spec'] as { readonly template: { readonly spec: object } };
    const selecting = { ...template, spec: { ...template.spec, nodeSelector: { gpu: 'yes' } } };
    await runs.apply([run, { ...job, spec: { ...spec, template: selecting } }]);
    await runs.reach('late', 'Pending');
    const { metadata } = await client.get(runs.path('late'));
    const passedAt = Date.parse(metadata.creationTimestamp ?? '') + (DEADLINE_SECONDS + 2) * 1000;

    process.kill(controller.pid, 'SIGSTOP');
    await client.mergePatch(NODE, { metadata: { labels: { gpu: 'yes' } } });
    await waitFor(
      async () => {
        const pods = await client.list(`/api/v1/namespaces/${runs.namespace}/pods`);
        return pods.some(({ status }) => (status as { readonly phase?: string }).phase === 'Running');
      },
      { what: 'a pod that runs' },
    );
    await pause(Math.max(0, passedAt - Date.now()));
    process.kill(controller.pid, 'SIGCONT');
    const status = await waitFor(
      async () => {
        const seen = await runs.status('late');
        return seen.phase !== 'Pending' && seen;
      },
      { what: 'a pass after the deadline' },
    );
    expect(status.phase).toBe('Running');
    expect((await client.get(runs.jobPath('late')))['spec']).not.toMatchObject({ suspend: true });
  });
});
