import { afterAll, beforeAll, expect, it } from 'vitest';
import { createNamespace, describeOnBed, sharedBed } from '../../cluster/bed.js';
import type { KubeManifest } from '../../cluster/client.js';
import { eventually, waitFor } from '../../cluster/wait.js';
import { hostController, type ControllerHost } from '../../support/controller-host.js';
import type { ControllerProcess } from '../../support/controller-process.js';
import { runCondition, RunsOnBed, runWithJob } from '../../support/runs-on-bed.js';

const UNSCHEDULABLE = expect.stringMatching(/^did not start within \d+ s: unschedulable: /) as string;

describeOnBed('the startup deadline of a run', () => {
  const bed = sharedBed();
  const { client } = bed;
  let runs: RunsOnBed;
  let host: ControllerHost;
  let controller: ControllerProcess;

  const startOne = (): Promise<ControllerProcess> => host.start([`--namespaces=${runs.namespace}`]);

  beforeAll(async () => {
    runs = new RunsOnBed(client, await createNamespace(client, 'deadline'));
    host = await hostController(bed);
    controller = await startOne();
  });
  afterAll(async () => {
    await host.stop();
  });

  /** A run whose pod fits no node, so that nothing happens to it any more. */
  async function startUnschedulable(name: string, startupDeadlineSeconds: number): Promise<void> {
    const [run, job] = runWithJob(name, runs.namespace, {
      spec: { startupDeadlineSeconds },
    }) as [KubeManifest, KubeManifest];
    const spec = job['spec'] as { template: { spec: object } };
    const template = {
      ...spec.template,
      spec: { ...spec.template.spec, nodeSelector: { gpu: 'none' } },
    };
    await runs.apply([run, { ...job, spec: { ...spec, template } }]);
    await eventually(async () => {
      expect(runCondition(await runs.status(name), 'Succeeded')).toMatchObject({
        reason: 'Unschedulable',
      });
    });
  }

  const jobStart = async (name: string): Promise<number> =>
    Date.parse(
      (
        (await client.get(runs.jobPath(name)))['status'] as {
          startTime: string;
        }
      ).startTime,
    );

  /** Seconds from the start of the Job to the end of the run, which is the moment of the verdict. */
  async function secondsToEnd(name: string, from: number): Promise<number> {
    const { completionTime = '' } = await runs.reach(name, 'Failed');
    return (Date.parse(completionTime) - from) / 1000;
  }

  it('passes without any event', async () => {
    await startUnschedulable('no-event', 8);
    const seconds = await secondsToEnd('no-event', await jobStart('no-event'));
    expect(seconds).toBeGreaterThanOrEqual(8);
    expect(runCondition(await runs.status('no-event'), 'Succeeded')).toMatchObject({
      status: 'False',
      reason: 'StartupDeadlineExceeded',
      message: UNSCHEDULABLE,
    });
    await runs.slotFreed('no-event');
  });

  it('outlives the controller', async () => {
    await startUnschedulable('restarted', 20);
    await controller.end('SIGKILL');
    controller = await startOne();
    const from = await jobStart('restarted');
    expect((await runs.status('restarted')).phase).toBe('Pending');
    const seconds = await secondsToEnd('restarted', from);
    // Counted from the Job, not from the second process: that one would have come far later.
    expect(seconds).toBeGreaterThanOrEqual(20);
    await runs.slotFreed('restarted');
  });

  it('passed while the controller was down', async () => {
    await startUnschedulable('slept', 5);
    await controller.end('SIGKILL');
    const from = await jobStart('slept');
    await waitFor(() => Promise.resolve(Date.now() > from + 6000), {
      what: 'the deadline to pass',
    });
    controller = await startOne();
    await runs.reach('slept', 'Failed');
    await runs.slotFreed('slept');
  });

  it('holds without a Job, and a Job that comes too late is stopped', async () => {
    const [run, job] = runWithJob('late', runs.namespace, {
      spec: { startupDeadlineSeconds: 3 },
    }) as [KubeManifest, KubeManifest];
    await runs.apply([run]);
    await runs.reach('late', 'Failed');
    const status = await runs.status('late');
    expect(runCondition(status, 'Succeeded')).toMatchObject({
      reason: 'StartupDeadlineExceeded',
      message: 'did not start within 3 s: there is no Job hermes-run-late',
    });
    const spec = job['spec'] as object;
    await runs.apply([{ ...job, spec: { ...spec, suspend: true } }]);
    await client.mergePatch(runs.jobPath('late'), { spec: { suspend: false } });
    await eventually(async () => {
      expect((await client.get(runs.jobPath('late')))['spec']).toMatchObject({
        suspend: true,
      });
    });
    await runs.slotFreed('late');
    expect(await runs.status('late')).toEqual(status);
    expect(await runs.events('late')).toContain(
      'RunRestarted: another Job hermes-run-late appeared for a run that is over, and is stopped: a run is done once',
    );
  });

  it('stands still while somebody else holds the Job back', async () => {
    const [run, job] = runWithJob('queued', runs.namespace, {
      spec: { startupDeadlineSeconds: 4 },
      pod: 'running',
    }) as [KubeManifest, KubeManifest];
    const applied = Date.now();
    await runs.apply([run, { ...job, spec: { ...(job['spec'] as object), suspend: true } }]);
    await waitFor(() => Promise.resolve(Date.now() > applied + 7000), {
      what: 'the deadline to pass',
    });
    const status = await runs.status('queued');
    expect([status.phase, runCondition(status, 'Succeeded')?.reason]).toEqual(['Pending', 'Suspended']);
    await client.mergePatch(runs.jobPath('queued'), {
      spec: { suspend: false },
    });
    await runs.reach('queued', 'Running');
  });
});
