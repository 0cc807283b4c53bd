import { afterAll, beforeAll, expect, it } from 'vitest';
import { createNamespace, describeOnBed, sharedBed } from '../../cluster/bed.js';
import type { KubeManifest } from '../../cluster/client.js';
import type { PodState } from '../../cluster/failure-stages.js';
import { setPodState } from '../../cluster/pods.js';
import { eventually } from '../../cluster/wait.js';
import { hostController, type ControllerHost } from '../../support/controller-host.js';
import { runCondition, RunsOnBed, runWithJob, StartedPods } from '../../support/runs-on-bed.js';

const IMAGE = 'registry.example.net/hermes:v1';

describeOnBed('a run that cannot start', () => {
  const bed = sharedBed();
  const { client } = bed;
  let runs: RunsOnBed;
  let patient: RunsOnBed;
  let started: StartedPods;
  let host: ControllerHost;

  beforeAll(async () => {
    runs = new RunsOnBed(client, await createNamespace(client, 'start-failures'));
    patient = new RunsOnBed(client, await createNamespace(client, 'patient'));
    started = new StartedPods(client, runs.namespace);
    host = await hostController(bed);
    for (const [{ namespace }, grace] of [
      [runs, 0],
      [patient, 600],
    ] as const) {
      await host.start([`--namespaces=${namespace}`, `--agentrun-fatal-grace=${grace}`]);
    }
  });
  afterAll(async () => {
    started.stop();
    await host.stop();
  });

  const said = async (of: RunsOnBed, name: string): Promise<object> => {
    const status = await of.status(name);
    const { reason, message } = runCondition(status, 'Succeeded') ?? {};
    return { phase: status.phase, reason, message };
  };

  it.each<[PodState, string, string]>([
    ['image-pull-back-off', 'ImagePullBackOff', `Back-off pulling image ${IMAGE}: not found`],
    ['invalid-image-name', 'InvalidImageName', `Failed to apply default image tag ${IMAGE}`],
    ['image-never-pull', 'ErrImageNeverPull', `Container image ${IMAGE} is not present with pull policy of Never`],
    ['config-error', 'CreateContainerConfigError', 'secret not found'],
    ['crash-loop', 'CrashLoopBackOff', 'last exit: Error (exit code 1)'],
  ])('fails at once, and its slot is free: %s', async (state, reason, detail) => {
    await runs.start(state, { pod: state });
    const status = await runs.reach(state, 'Failed');
    expect(runCondition(status, 'Succeeded')).toMatchObject({
      status: 'False',
      reason,
      message: `container "agent" is stuck on ${reason}: ${detail}`,
    });
    expect(status.startTime).toBeDefined();
    expect(status.completionTime).toBeDefined();
    await runs.slotFreed(state);
    expect((await client.get(runs.jobPath(state)))['spec']).toMatchObject({
      suspend: true,
    });
    expect(started.count(state)).toBe(1);
  });

  it('fails at once on an init container', async () => {
    const [run, job] = runWithJob('in-init', runs.namespace, {
      pod: 'init-image-pull-back-off',
    }) as [KubeManifest, KubeManifest];
    const spec = job['spec'] as { template: { spec: object } };
    const initContainers = [{ name: 'prepare', image: 'registry.example.net/prepare:v1' }];
    const template = {
      ...spec.template,
      spec: { ...spec.template.spec, initContainers },
    };
    await runs.apply([run, { ...job, spec: { ...spec, template } }]);
    await runs.reach('in-init', 'Failed');
    expect(await said(runs, 'in-init')).toEqual({
      phase: 'Failed',
      reason: 'ImagePullBackOff',
      message:
        'container "prepare" is stuck on ImagePullBackOff: Back-off pulling image registry.example.net/prepare:v1: not found',
    });
    await runs.slotFreed('in-init');
  });

  it('says what was wrong at first, once the pulls back off', async () => {
    await runs.start('pulls', { pod: 'err-image-pull' });
    const failure = `failed to pull image ${IMAGE}: not found`;
    await eventually(async () => {
      expect(await said(runs, 'pulls')).toEqual({
        phase: 'Pending',
        reason: 'ErrImagePull',
        message: `container "agent" is waiting on ErrImagePull: ${failure}`,
      });
    });
    const { podName = '' } = await runs.status('pulls');
    await setPodState(client, { namespace: runs.namespace, name: podName }, 'image-pull-back-off');
    await runs.reach('pulls', 'Failed');
    expect(await said(runs, 'pulls')).toEqual({
      phase: 'Failed',
      reason: 'ImagePullBackOff',
      message: `container "agent" is stuck on ImagePullBackOff: ${failure}`,
    });
  });

  it('has its grace, and may recover in it', async () => {
    await patient.start('heals', { pod: 'config-error' });
    await eventually(async () => {
      expect(await said(patient, 'heals')).toEqual({
        phase: 'Pending',
        reason: 'CreateContainerConfigError',
        message: 'container "agent" is waiting on CreateContainerConfigError: secret not found',
      });
    });
    const { podName = '' } = await patient.status('heals');
    await setPodState(client, { namespace: patient.namespace, name: podName }, 'running');
    await patient.reach('heals', 'Running');
    expect(runCondition(await patient.status('heals'), 'StartBlocked')).toBeUndefined();
  });

  it('has no grace where no time heals', async () => {
    await patient.start('hopeless', { pod: 'invalid-image-name' });
    await patient.reach('hopeless', 'Failed');
    await patient.slotFreed('hopeless');
  });
});
