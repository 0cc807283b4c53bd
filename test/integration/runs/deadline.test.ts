import { afterAll, beforeAll, expect, it } from 'vitest';
import { createNamespace, describeOnBed, sharedBed } from '../../cluster/bed.js';
import type { KubeManifest } from '../../cluster/client.js';
import { eventually, waitFor } from '../../cluster/wait.js';
import { hostController, type ControllerHost } from '../../support/controller-host.js';
import type { ControllerProcess } from '../../support/controller-process.js';
import { runCondition, RunsOnBed, runWithJob } from '../../support/runs-on-bed.js';

const UNSCHEDULABLE = expect.stringMatching(/^did not start within \d+ s: unschedulable: /) as string;

/** A pod whose one container has ended. */
interface EndedPod {
  readonly containerStatuses: readonly [
    { readonly state: { readonly terminated: { readonly startedAt: string; readonly finishedAt: string } } },
  ];
}

/** Types of the conditions of a Job that are true. */
function conditionsOf(job: KubeManifest): readonly string[] {
  const { conditions = [] } = (job['status'] ?? {}) as {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
  return conditions.filter(({ status }) => status === 'True').map(({ type }) => type);
}

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

  /**
   * Within a second of the deadline by the server's clock: the moment of the verdict, which is the end of the run. Stored
   * times are whole seconds.
   */
  async function expectFailedAt(name: string, due: number): Promise<void> {
    const { completionTime = '' } = await runs.reach(name, 'Failed');
    const late = Date.parse(completionTime) - due;
    expect(late).toBeGreaterThanOrEqual(0);
    expect(late).toBeLessThanOrEqual(1000);
  }

  it('passes without any event', async () => {
    await startUnschedulable('no-event', 8);
    await expectFailedAt('no-event', (await jobStart('no-event')) + 8000);
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
    // Counted from the Job, not from the second process.
    await expectFailedAt('restarted', from + 20_000);
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

  it('is no matter to a run that started and ended while nobody looked', async () => {
    await controller.end('SIGKILL');
    const names = ['unseen', 'unseen-and-gone'];
    await Promise.all(names.map((name) => runs.start(name, { spec: { startupDeadlineSeconds: 1 } })));
    for (const name of names) {
      await waitFor(async () => conditionsOf(await client.get(runs.jobPath(name))).includes('Complete'), {
        what: `the Job of ${name} to complete`,
      });
    }
    const [pod] = await runs.pods('unseen');
    for (const { metadata } of await runs.pods('unseen-and-gone')) {
      await client.delete(`/api/v1/namespaces/${runs.namespace}/pods/${metadata.name}`);
    }
    const job = await client.get(runs.jobPath('unseen-and-gone'));
    controller = await startOne();
    const { startedAt, finishedAt } = (pod?.['status'] as EndedPod).containerStatuses[0].state.terminated;
    expect(await runs.reach('unseen', 'Succeeded')).toMatchObject({
      podName: pod?.metadata.name,
      exitCode: 0,
      startTime: startedAt,
      completionTime: finishedAt,
      duration: (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000,
    });
    const gone = await runs.reach('unseen-and-gone', 'Succeeded');
    const { completionTime } = job['status'] as { readonly completionTime: string };
    expect(gone).toMatchObject({ completionTime });
    expect(gone.exitCode).toBeUndefined();
    expect(runCondition(gone, 'Succeeded')).toMatchObject({ status: 'True', reason: 'Succeeded' });
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
    await eventually(async () => {
      expect(await runs.events('late')).toContain(
        'RunRestarted: another Job hermes-run-late appeared for a run that is over, and is stopped: a run is done once',
      );
    });
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
