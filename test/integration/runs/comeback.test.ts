import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createNamespace, describeOnBed, sharedBed } from '../../cluster/bed.js';
import { eventually, waitFor } from '../../cluster/wait.js';
import { hostController, type ControllerHost } from '../../support/controller-host.js';
import type { ControllerProcess } from '../../support/controller-process.js';
import { runCondition, RunsOnBed, type RunParts } from '../../support/runs-on-bed.js';

const AT_ONCE: RunParts = { spec: { ttlSecondsAfterFinished: 0 } };
const TTL_SECONDS = 5;
const CAME_BACK = 'RecreatedByEngine: this run was deleted after its TTL and came back: take it out of Git, or its TTL';

describeOnBed('runs that were reaped, or were to be', () => {
  const bed = sharedBed();
  const { client } = bed;
  let runs: RunsOnBed;
  let host: ControllerHost;
  let controller: ControllerProcess;

  // The TTL of runs of the CLI is what it is by default: never.
  const startOne = (): Promise<ControllerProcess> => host.start([`--namespaces=${runs.namespace}`]);

  beforeAll(async () => {
    runs = new RunsOnBed(client, await createNamespace(client, 'comeback'));
    host = await hostController(bed);
    controller = await startOne();
  });
  afterAll(async () => {
    await host.stop();
  });

  async function reapedOnce(name: string): Promise<void> {
    await runs.start(name, AT_ONCE);
    await runs.gone(name);
    await eventually(async () => {
      expect(await runs.pods(name)).toEqual([]);
    });
  }

  /** The run ends, and stays with its Job. */
  async function expectKept(name: string): Promise<void> {
    await runs.reach(name, 'Succeeded');
    await eventually(async () => {
      expect(runCondition(await runs.status(name), 'Reapable')).toMatchObject({
        status: 'False',
        reason: 'RecreatedByEngine',
        message: 'a run of this name was deleted after its TTL and came back: it is not deleted again',
      });
      expect((await runs.events(name)).filter((event) => event.startsWith('RecreatedByEngine'))).toEqual([CAME_BACK]);
    });
  }

  const identities = async (names: readonly string[]): Promise<readonly unknown[]> => {
    const paths = names.flatMap((name) => [runs.path(name), runs.jobPath(name)]);
    return Promise.all(paths.map(async (path) => (await client.get(path)).metadata.uid));
  };

  it('are deleted no second time by the same controller, nor by the next one; and what fell due meanwhile is', async () => {
    await Promise.all([reapedOnce('same'), reapedOnce('next')]);
    await runs.start('same', AT_ONCE);
    await expectKept('same');
    await runs.start('of-the-cli', { annotations: { 'hermes-gitops.dev/origin': 'cli' } });
    await runs.start('due', { spec: { ttlSecondsAfterFinished: TTL_SECONDS } });
    await runs.reach('of-the-cli', 'Succeeded');
    const { completionTime = '' } = await runs.reach('due', 'Succeeded');

    await controller.end('SIGKILL');
    await runs.start('next', AT_ONCE);
    await waitFor(
      async () => ((await client.get(runs.jobPath('next')))['status'] as { succeeded?: number }).succeeded === 1,
      {
        what: 'the Job of next to complete',
      },
    );
    const dueAt = Date.parse(completionTime) + TTL_SECONDS * 1000;
    await waitFor(() => Promise.resolve(Date.now() > dueAt + 1000), { what: 'the TTL to pass' });
    expect(await client.find(runs.path('due'))).toBeDefined();

    controller = await startOne();
    await runs.gone('due');
    expect(await runs.events('due')).toContain('RunReaped: deleted with its workload after its TTL');
    await expectKept('next');
    const kept = ['same', 'next', 'of-the-cli'];
    const before = await identities(kept);
    await pause(2000);
    expect(await identities(kept)).toEqual(before);
    expect(runCondition(await runs.status('of-the-cli'), 'Reapable')).toBeUndefined();
  });
});
