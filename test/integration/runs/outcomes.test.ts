import { afterAll, beforeAll, expect, it } from 'vitest';
import { createNamespace, describeOnBed, sharedBed } from '../../cluster/bed.js';
import type { KubeManifest } from '../../cluster/client.js';
import { patchPodStatus } from '../../cluster/pods.js';
import { eventually } from '../../cluster/wait.js';
import { hostController, type ControllerHost } from '../../support/controller-host.js';
import { runCondition, RunsOnBed, runWithJob, StartedPods, type RunParts } from '../../support/runs-on-bed.js';

interface End {
  readonly phase: 'Succeeded' | 'Failed';
  readonly reason: string;
  readonly message: string;
  readonly exitCode?: number;
}

describeOnBed('the outcome of a run', () => {
  const bed = sharedBed();
  const { client } = bed;
  let runs: RunsOnBed;
  let started: StartedPods;
  let host: ControllerHost;

  beforeAll(async () => {
    runs = new RunsOnBed(client, await createNamespace(client, 'outcomes'));
    started = new StartedPods(client, runs.namespace);
    host = await hostController(bed);
    await host.start([`--namespaces=${runs.namespace}`]);
  });
  afterAll(async () => {
    started.stop();
    await host.stop();
  });

  /** Starts a run whose Job differs from the usual one. */
  async function startWith(
    name: string,
    parts: RunParts,
    change: (podSpec: Record<string, unknown>) => object,
  ): Promise<void> {
    const [run, job] = runWithJob(name, runs.namespace, parts) as [KubeManifest, KubeManifest];
    const spec = job['spec'] as { template: { spec: Record<string, unknown> } };
    await runs.apply([run, { ...job, spec: { ...spec, ...change(spec.template.spec) } }]);
  }

  async function podOf(name: string): Promise<{ namespace: string; name: string }> {
    const { podName = '' } = await runs.reach(name, 'Running');
    return { namespace: runs.namespace, name: podName };
  }

  /** The result, whole: words, times, and that nothing is left at work. */
  async function expectEnd(name: string, want: End): Promise<void> {
    const status = await runs.reach(name, want.phase);
    const { reason, message } = runCondition(status, 'Succeeded') ?? {};
    expect({ reason, message, exitCode: status.exitCode }).toEqual({
      reason: want.reason,
      message: want.message.replaceAll('POD', status.podName ?? ''),
      exitCode: want.exitCode,
    });
    expect(runCondition(status, 'Succeeded')?.status).toBe(want.phase === 'Succeeded' ? 'True' : 'False');
    expect(runCondition(status, 'Stalled')?.status).toBe(want.phase === 'Succeeded' ? undefined : 'True');
    const { startTime = '', completionTime = '', duration } = status;
    expect(duration).toBe((Date.parse(completionTime) - Date.parse(startTime)) / 1000);
    await runs.slotFreed(name);
    expect(started.count(name)).toBe(1);
  }

  const ended = (code: number): string => `container "agent" ended with exit code ${code}`;

  it.each<[string, RunParts, End]>([
    [
      'exit-0',
      {},
      {
        phase: 'Succeeded',
        reason: 'Succeeded',
        message: ended(0),
        exitCode: 0,
      },
    ],
    [
      'exit-1',
      { pod: 'exit', podOptions: { exitCode: 1 } },
      { phase: 'Failed', reason: 'Failed', message: ended(1), exitCode: 1 },
    ],
    [
      'exit-2',
      { pod: 'exit', podOptions: { exitCode: 2 } },
      {
        phase: 'Failed',
        reason: 'LimitReached',
        message: ended(2),
        exitCode: 2,
      },
    ],
    [
      'oom-killed',
      { pod: 'oom-killed' },
      {
        phase: 'Failed',
        reason: 'OOMKilled',
        message: `${ended(137)} (OOMKilled)`,
        exitCode: 137,
      },
    ],
    [
      'evicted',
      { pod: 'evicted' },
      {
        phase: 'Failed',
        reason: 'Evicted',
        message: 'pod POD has failed: The node was low on resource: ephemeral-storage.',
      },
    ],
  ])('is told by its pod: %s', async (name, parts, want) => {
    await runs.start(name, parts);
    await expectEnd(name, want);
  });

  it('is the deadline of its Job', async () => {
    await startWith('too-long', { pod: 'running' }, () => ({
      activeDeadlineSeconds: 3,
    }));
    await expectEnd('too-long', {
      phase: 'Failed',
      reason: 'DeadlineExceeded',
      message: 'Job was active longer than specified deadline',
    });
  });

  it('is the deletion of its pod, also when the Job makes another one', async () => {
    await runs.start('drained', { pod: 'running' });
    const pod = await podOf('drained');
    await client.delete(`/api/v1/namespaces/${pod.namespace}/pods/${pod.name}`);
    const status = await runs.reach('drained', 'Failed');
    expect(runCondition(status, 'Succeeded')).toMatchObject({
      reason: 'PodDeleted',
      message: `pod ${pod.name} was deleted before its agent had ended`,
    });
    await runs.slotFreed('drained');
    expect(await runs.status('drained')).toEqual(status);
  });

  it('is the loss of its Job', async () => {
    await runs.start('lost', { pod: 'running' });
    await podOf('lost');
    await client.delete(runs.jobPath('lost'), {
      propagationPolicy: 'Background',
    });
    const status = await runs.reach('lost', 'Failed');
    expect(runCondition(status, 'Succeeded')).toMatchObject({
      reason: 'WorkloadLost',
      message: 'the Job hermes-run-lost was deleted after the run had started',
    });
    await eventually(async () => {
      expect(await runs.pods('lost')).toEqual([]);
    });
  });

  const times = {
    startedAt: '2026-03-01T12:00:00Z',
    finishedAt: '2026-03-01T12:00:40Z',
  };
  const agentEnded = (exitCode: number, message?: string, { finishedAt } = times): object => ({
    name: 'agent',
    image: 'registry.example.net/hermes:v1',
    imageID: '',
    ready: false,
    restartCount: 0,
    state: {
      terminated: {
        exitCode,
        reason: 'Completed',
        ...(message !== undefined && { message }),
        startedAt: times.startedAt,
        finishedAt,
      },
    },
  });

  it.each([
    ['beside-sidecar', 0, 'Succeeded', 'Succeeded'],
    ['beside-sidecar-2', 2, 'Failed', 'LimitReached'],
  ] as const)(
    'is that of the agent while an injected container runs on, which then stops: %s',
    async (name, code, phase, reason) => {
      const sidecar = {
        name: 'mesh-proxy',
        image: 'registry.example.net/mesh:v1',
      };
      await startWith(name, { pod: 'running' }, (podSpec) => ({
        template: {
          metadata: {
            labels: { 'hermes-gitops.dev/run': name },
            annotations: { 'bed.hermes-gitops.dev/state': 'running' },
          },
          spec: {
            ...podSpec,
            containers: [sidecar, ...(podSpec['containers'] as object[])],
          },
        },
      }));
      const pod = await podOf(name);
      const running = {
        name: 'mesh-proxy',
        image: sidecar.image,
        imageID: '',
        ready: true,
        restartCount: 0,
      };
      const state = { running: { startedAt: times.startedAt } };
      await patchPodStatus(client, pod, {
        containerStatuses: [{ ...running, state }, agentEnded(code)],
      });
      const status = await runs.reach(name, phase);
      expect(status).toMatchObject({ exitCode: code });
      expect(runCondition(status, 'Succeeded')?.reason).toBe(reason);
      await runs.slotFreed(name);
      expect((await client.get(runs.jobPath(name)))['spec']).toMatchObject({
        suspend: true,
      });
      expect(await runs.status(name)).toEqual(status);
    },
  );

  it('carries what the agent left in its termination message, and its times', async () => {
    await runs.start('with-data', { pod: 'running' });
    const pod = await podOf('with-data');
    const message = '{"tokens": 1200, "files": ["a.md"], "nothing": null}';
    // A time from before the Job was made would not be believed.
    const finishedAt = new Date().toISOString().replace(/\.\d+/, '');
    await patchPodStatus(client, pod, {
      phase: 'Succeeded',
      containerStatuses: [agentEnded(0, message, { ...times, finishedAt })],
    });
    expect(await runs.reach('with-data', 'Succeeded')).toMatchObject({
      terminationData: { tokens: 1200, files: ['a.md'] },
      completionTime: finishedAt,
    });
  });

  it('is open while the node of the pod does not answer', async () => {
    await runs.start('node-lost', { pod: 'running' });
    const pod = await podOf('node-lost');
    await patchPodStatus(client, pod, {
      phase: 'Unknown',
      reason: 'NodeLost',
      message: 'no answer',
    });
    await eventually(async () => {
      const status = await runs.status('node-lost');
      expect([status.phase, runCondition(status, 'Succeeded')?.reason]).toEqual(['Running', 'NodeLost']);
    });
  });

  it('is final, whatever becomes of the pod', async () => {
    await runs.start('final');
    const status = await runs.reach('final', 'Succeeded');
    await runs.slotFreed('final');
    const settled = await runs.status('final');
    for (const { metadata } of await runs.pods('final')) {
      await client.delete(`/api/v1/namespaces/${runs.namespace}/pods/${metadata.name}`);
    }
    await eventually(async () => {
      expect(await runs.pods('final')).toEqual([]);
    });
    expect(await runs.status('final')).toEqual(settled);
    expect(settled).toEqual(status);
    expect(started.count('final')).toBe(1);
  });
});
