import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createNamespace, describeOnBed, sharedBed } from '../../cluster/bed.js';
import { installSandboxCrd } from '../../cluster/sandbox-crd.js';
import { eventually, waitFor } from '../../cluster/wait.js';
import { hostController, type ControllerHost } from '../../support/controller-host.js';
import { runCondition, RunsOnBed, StartedPods } from '../../support/runs-on-bed.js';
import { playSandboxes, type SandboxPlayer } from '../../support/sandbox-player.js';

const ENGINE_INTERVAL_MS = 500;

describeOnBed('a run that is over', () => {
  const bed = sharedBed();
  const { client } = bed;
  let runs: RunsOnBed;
  let started: StartedPods;
  let player: SandboxPlayer;
  let host: ControllerHost;

  beforeAll(async () => {
    await installSandboxCrd(client);
    runs = new RunsOnBed(client, await createNamespace(client, 'stopped'));
    started = new StartedPods(client, runs.namespace);
    player = playSandboxes(client, runs.namespace);
    host = await hostController(bed);
    await host.start([`--namespaces=${runs.namespace}`]);
  });
  afterAll(async () => {
    started.stop();
    await player.stop();
    await host.stop();
  });

  const workload = async (kind: 'Job' | 'Sandbox', name: string): Promise<{ uid: string; spec: unknown }> => {
    const { metadata, spec } = await client.get(runs.workloadPath(kind, name));
    return { uid: metadata.uid ?? '', spec: spec as unknown };
  };

  describe.concurrent.each(['Job', 'Sandbox'] as const)('in a %s', (kind) => {
    it('before it began stays stopped, however often an engine applies it', async () => {
      const name = `stuck-${kind.toLowerCase()}`;
      const declared = await runs.startIn(kind, name, { pod: 'image-pull-back-off' });
      const status = await runs.reach(name, 'Failed');
      const message =
        'container "agent" is stuck on ImagePullBackOff: Back-off pulling image registry.example.net/hermes:v1: not found';
      expect(runCondition(status, 'Succeeded')).toMatchObject({ status: 'False', reason: 'ImagePullBackOff', message });
      await waitFor(() => runs.isStopped(kind, name), { what: `the ${kind} to be stopped` });
      await eventually(async () => {
        expect(await runs.pods(name)).toEqual([]);
      });
      await runs.slotFreed(name);
      const stopped = await workload(kind, name);

      for (let interval = 0; interval < 10; interval++) {
        await runs.apply(declared);
        await pause(ENGINE_INTERVAL_MS);
      }
      expect(await workload(kind, name)).toEqual(stopped);
      expect(await runs.status(name)).toEqual(status);
      expect(await runs.pods(name)).toEqual([]);
      expect(started.count(name)).toBe(1);
      expect(await runs.events(name)).toEqual([`RunFailed: ImagePullBackOff: ${message}`]);
    });

    it('is not begun again by another workload of its name', async () => {
      const name = `again-${kind.toLowerCase()}`;
      await runs.startIn(kind, name, { pod: 'exit', podOptions: { exitCode: 0 } });
      const status = await runs.reach(name, 'Succeeded');
      const { uid } = await workload(kind, name);
      const path = runs.workloadPath(kind, name);
      await client.delete(path, { propagationPolicy: 'Background' });
      await waitFor(async () => (await client.find(path)) === undefined, { what: `the ${kind} to go` });
      // A pod that ended before it was stopped would stay, as it occupies nothing.
      await runs.startIn(kind, name, { pod: 'running' });
      await waitFor(() => runs.isStopped(kind, name), { what: `the other ${kind} to be stopped` });
      expect((await workload(kind, name)).uid).not.toBe(uid);
      await eventually(async () => {
        expect(await runs.pods(name)).toEqual([]);
        expect((await runs.events(name)).filter((event) => event.startsWith('RunRestarted'))).toEqual([
          `RunRestarted: another ${kind} hermes-run-${name} appeared for a run that is over, and is stopped: a run is done once`,
        ]);
      });
      await runs.slotFreed(name);
      expect(await runs.status(name)).toEqual(status);
    });
  });
});
