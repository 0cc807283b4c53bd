import { afterAll, beforeAll, expect, it } from 'vitest';
import { createNamespace, describeOnBed, sharedBed } from '../../cluster/bed.js';
import type { KubeManifest } from '../../cluster/client.js';
import type { PodState } from '../../cluster/failure-stages.js';
import { podStateAnnotations, type PodStateOptions } from '../../cluster/pods.js';
import { installSandboxCrd, sandboxesPath } from '../../cluster/sandbox-crd.js';
import { eventually } from '../../cluster/wait.js';
import { hostController, type ControllerHost } from '../../support/controller-host.js';
import { runCondition, RunsOnBed, runWithJob } from '../../support/runs-on-bed.js';
import { playSandboxes, type SandboxPlayer } from '../../support/sandbox-player.js';

interface Row {
  readonly name: string;
  readonly state: PodState;
  readonly code?: number;
  readonly phase: string;
  readonly reason: string;
}

describeOnBed('a run in a Sandbox', () => {
  const bed = sharedBed();
  const { client } = bed;
  let runs: RunsOnBed;
  let player: SandboxPlayer;
  let host: ControllerHost;

  beforeAll(async () => {
    await installSandboxCrd(client);
    runs = new RunsOnBed(client, await createNamespace(client, 'sandbox'));
    player = playSandboxes(client, runs.namespace);
    host = await hostController(bed);
    await host.start([`--namespaces=${runs.namespace}`]);
  });
  afterAll(async () => {
    await player.stop();
    await host.stop();
  });

  async function start(
    name: string,
    state: PodState,
    options?: PodStateOptions,
    operatingMode?: string,
  ): Promise<void> {
    const [run, job] = runWithJob(name, runs.namespace, {
      spec: { workload: 'Sandbox' },
    }) as [KubeManifest, KubeManifest];
    const { metadata, spec } = (job['spec'] as { template: { metadata: object; spec: object } }).template;
    const podTemplate = {
      metadata: {
        ...metadata,
        annotations: podStateAnnotations(state, options),
      },
      spec,
    };
    const sandbox = {
      apiVersion: 'agents.x-k8s.io/v1beta1',
      kind: 'Sandbox',
      metadata: job.metadata,
      spec: {
        podTemplate,
        ...(operatingMode !== undefined && { operatingMode }),
      },
    };
    await runs.apply([run, sandbox]);
  }

  const sandboxOf = (name: string): Promise<KubeManifest> =>
    client.get(sandboxesPath(runs.namespace, `hermes-run-${name}`));

  /** The Sandbox is told to stop, and no pod of it is left. */
  async function expectStopped(name: string): Promise<void> {
    await eventually(async () => {
      expect((await sandboxOf(name))['spec']).toMatchObject({
        operatingMode: 'Suspended',
      });
      expect(await runs.pods(name)).toEqual([]);
    });
  }

  it.each<Row>([
    { name: 'exit-0', state: 'exit', code: 0, phase: 'Succeeded', reason: 'Succeeded' },
    { name: 'exit-1', state: 'exit', code: 1, phase: 'Failed', reason: 'Failed' },
    { name: 'exit-2', state: 'exit', code: 2, phase: 'Failed', reason: 'LimitReached' },
    { name: 'stuck', state: 'image-pull-back-off', phase: 'Failed', reason: 'ImagePullBackOff' },
    { name: 'evicted', state: 'evicted', phase: 'Failed', reason: 'Evicted' },
  ])('ends as its pod does, and makes no other: $name', async ({ name, state, code, phase, reason }) => {
    await start(name, state, code === undefined ? {} : { exitCode: code });
    const status = await runs.reach(name, phase);
    expect(runCondition(status, 'Succeeded')?.reason).toBe(reason);
    expect(status.exitCode).toBe(code);
    expect(status).toMatchObject({
      workload: { kind: 'Sandbox', name: `hermes-run-${name}` },
    });
    await expectStopped(name);
    expect(await runs.status(name)).toEqual(status);
  });

  it('fails when its pod goes, whatever comes after', async () => {
    await start('drained', 'running');
    const { podName = '' } = await runs.reach('drained', 'Running');
    await client.delete(`/api/v1/namespaces/${runs.namespace}/pods/${podName}`);
    const status = await runs.reach('drained', 'Failed');
    expect(runCondition(status, 'Succeeded')).toMatchObject({
      reason: 'PodDeleted',
      message: 'pod hermes-run-drained was deleted before its agent had ended',
    });
    await expectStopped('drained');
  });

  it('waits while somebody else suspends it', async () => {
    await start('queued', 'running', {}, 'Suspended');
    await eventually(async () => {
      const status = await runs.status('queued');
      expect([status.phase, runCondition(status, 'Succeeded')?.reason]).toEqual(['Pending', 'Suspended']);
    });
    await client.mergePatch(sandboxesPath(runs.namespace, 'hermes-run-queued'), { spec: { operatingMode: 'Running' } });
    await runs.reach('queued', 'Running');
  });
});
