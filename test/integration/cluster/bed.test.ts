import { execFileSync } from 'node:child_process';
import { beforeAll, expect, it } from 'vitest';
import { createNamespace, describeOnBed, sharedBed } from '../../cluster/bed.js';
import type { KubeManifest } from '../../cluster/client.js';
import { patchPodStatus, podStateAnnotations, setPodState, type PodStateOptions } from '../../cluster/pods.js';
import type { PodState } from '../../cluster/failure-stages.js';
import { waitFor } from '../../cluster/wait.js';

/** What a test of the status rules reads of a pod. */
interface PodFacts {
  readonly phase: string;
  readonly ready: string | undefined;
  /** `<container>: <state> <reason> <exit code>, <restarts> after <last end>` */
  readonly containers: readonly string[];
}

interface ContainerStatus {
  readonly name: string;
  readonly restartCount: number;
  readonly state: Readonly<Record<string, { reason?: string; exitCode?: number } | undefined>>;
  readonly lastState?: { readonly terminated?: { reason: string; exitCode: number } };
}

function factsOf(pod: KubeManifest): PodFacts {
  const status = pod['status'];
  const containers: ContainerStatus[] = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  return {
    phase: [status.phase, status.reason].filter(Boolean).join(' '),
    ready: status.conditions?.find((condition: { type: string }) => condition.type === 'Ready')?.status,
    containers: containers.map(describeContainer),
  };
}

function describeContainer({ name, restartCount, state, lastState }: ContainerStatus): string {
  const [kind, detail] = Object.entries(state)[0] ?? [];
  const last = lastState?.terminated;
  const now = [kind, detail?.reason, detail?.exitCode].filter((part) => part !== undefined).join(' ');
  const before = last === undefined ? '' : ` after ${last.reason} ${last.exitCode}`;
  return `${name}: ${now}, ${restartCount}${before}`;
}

describeOnBed('the test bed', () => {
  const { client, binaries, kubeconfig } = sharedBed();
  let namespace = '';

  beforeAll(async () => {
    namespace = await createNamespace(client, 'bed');
    await waitFor(() => client.find(`/api/v1/namespaces/${namespace}/serviceaccounts/default`));
  });

  const spec = { containers: [{ name: 'main', image: 'registry.example.net/main:v1' }] };
  const podPath = (name: string): string => `/api/v1/namespaces/${namespace}/pods${name === '' ? '' : `/${name}`}`;

  async function createPod(name: string, annotations: Record<string, string>, extra: object = {}): Promise<void> {
    const metadata = { name, annotations };
    await client.create(podPath(''), { apiVersion: 'v1', kind: 'Pod', metadata, spec: { ...spec, ...extra } });
  }

  async function reach(name: string, want: PodFacts): Promise<void> {
    await expect.poll(async () => factsOf(await client.get(podPath(name))), { timeout: 30_000 }).toEqual(want);
  }

  it('runs the API server that the product is tested on', async () => {
    expect((await client.get('/version'))['gitVersion']).toMatch(/^v1\.37\./);
  });

  it('brings up the pod of a Deployment', async () => {
    await client.apply({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'good', namespace },
      spec: {
        replicas: 1,
        selector: { matchLabels: { app: 'good' } },
        template: { metadata: { labels: { app: 'good' } }, spec },
      },
    });
    await expect
      .poll(async () => (await client.list(podPath(''), 'app=good')).map(factsOf), { timeout: 30_000 })
      .toEqual([{ phase: 'Running', ready: 'True', containers: ['main: running, 0'] }]);
  });

  it.each<[PodState, PodStateOptions, PodFacts['phase'], string]>([
    ['image-pull-back-off', {}, 'Pending', 'waiting ImagePullBackOff, 0'],
    ['err-image-pull', {}, 'Pending', 'waiting ErrImagePull, 0'],
    ['invalid-image-name', {}, 'Pending', 'waiting InvalidImageName, 0'],
    ['image-never-pull', {}, 'Pending', 'waiting ErrImageNeverPull, 0'],
    ['config-error', {}, 'Pending', 'waiting CreateContainerConfigError, 0'],
    ['container-creating', {}, 'Pending', 'waiting ContainerCreating, 0'],
    ['crash-loop', {}, 'Running', 'waiting CrashLoopBackOff, 5 after Error 1'],
    ['crash-loop', { exitCode: 75, restarts: 2 }, 'Running', 'waiting CrashLoopBackOff, 2 after Error 75'],
    ['oom-loop', {}, 'Running', 'waiting CrashLoopBackOff, 5 after OOMKilled 137'],
    ['completed-loop', {}, 'Running', 'waiting CrashLoopBackOff, 5 after Completed 0'],
    ['not-ready', {}, 'Running', 'running, 0'],
    ['exit', {}, 'Failed', 'terminated Error 1, 0'],
    ['exit', { exitCode: 2 }, 'Failed', 'terminated Error 2, 0'],
    ['exit', { exitCode: 0 }, 'Succeeded', 'terminated Completed 0, 0'],
    ['oom-killed', {}, 'Failed', 'terminated OOMKilled 137, 0'],
  ])('puts a pod into %s %o', async (state, options, phase, container) => {
    const name = [state, ...Object.values(options as Record<string, number>)].join('-');
    await createPod(name, podStateAnnotations(state, options));
    await reach(name, { phase, ready: 'False', containers: [`main: ${container}`] });
  });

  it('evicts a pod', async () => {
    await createPod('evicted', podStateAnnotations('evicted'));
    await reach('evicted', { phase: 'Failed Evicted', ready: 'False', containers: [] });
  });

  it('writes the conditions that a kubelet writes, beside the one of the scheduler', async () => {
    await createPod('conditions', podStateAnnotations('image-pull-back-off'));
    await reach('conditions', {
      phase: 'Pending',
      ready: 'False',
      containers: ['main: waiting ImagePullBackOff, 0'],
    });
    const { status } = await client.get(podPath('conditions'));
    const conditions = status.conditions.map(
      (c: Record<string, string>) => `${c['type']} ${c['status']} ${c['reason']}`,
    );
    expect(conditions.sort()).toEqual([
      'ContainersReady False ContainersNotReady',
      'Initialized True undefined',
      'PodScheduled True undefined',
      'Ready False ContainersNotReady',
    ]);
    expect(status.containerStatuses[0].state.waiting.message).toBe(
      'Back-off pulling image registry.example.net/main:v1: not found',
    );
  });

  it('lets one container of several fail', async () => {
    const containers = ['main', 'side'].map((name) => ({ name, image: 'registry.example.net/x:v1' }));
    await createPod('side', podStateAnnotations('crash-loop', { container: 'side' }), { containers });
    await reach('side', {
      phase: 'Running',
      ready: 'False',
      containers: ['main: running, 0', 'side: waiting CrashLoopBackOff, 5 after Error 1'],
    });
  });

  it('lets an init container fail', async () => {
    const initContainers = [{ name: 'first', image: 'registry.example.net/x:v1' }];
    await createPod('init', podStateAnnotations('init-crash-loop'), { initContainers });
    await reach('init', {
      phase: 'Pending',
      ready: 'False',
      containers: ['first: waiting CrashLoopBackOff, 5 after Error 1'],
    });
  });

  it('moves a live pod from state to state, and never counts restarts backwards', async () => {
    await createPod('moving', podStateAnnotations('image-pull-back-off'));
    const pod = { namespace, name: 'moving' };
    const steps: readonly [PodState, PodFacts['phase'], string, string][] = [
      ['image-pull-back-off', 'Pending', 'False', 'waiting ImagePullBackOff, 0'],
      ['ready', 'Running', 'True', 'running, 0'],
      ['crash-loop', 'Running', 'False', 'waiting CrashLoopBackOff, 5 after Error 1'],
      ['ready', 'Running', 'True', 'running, 5 after Error 1'],
      ['crash-loop', 'Running', 'False', 'waiting CrashLoopBackOff, 5 after Error 1'],
      ['not-ready', 'Running', 'False', 'running, 5 after Error 1'],
      ['ready', 'Running', 'True', 'running, 5 after Error 1'],
      ['oom-killed', 'Failed', 'False', 'terminated OOMKilled 137, 5 after Error 1'],
    ];
    for (const [state, phase, ready, container] of steps) {
      await setPodState(client, pod, state);
      await reach('moving', { phase, ready, containers: [`main: ${container}`] });
    }
  });

  it('leaves a status that a test has written alone', async () => {
    await createPod('written', podStateAnnotations('container-creating'));
    await reach('written', { phase: 'Pending', ready: 'False', containers: ['main: waiting ContainerCreating, 0'] });
    await patchPodStatus(client, { namespace, name: 'written' }, { message: 'of the test' });
    expect((await client.get(podPath('written')))['status']).toMatchObject({
      phase: 'Pending',
      message: 'of the test',
    });
  });

  it('leaves a pod that fits no node to the scheduler', async () => {
    await createPod('nowhere', {}, { nodeSelector: { gpu: 'yes' } });
    const condition = await waitFor(async () => {
      const pod = await client.get(podPath('nowhere'));
      return pod['status'].conditions?.find((entry: { type: string }) => entry.type === 'PodScheduled');
    });
    expect(condition).toMatchObject({ status: 'False', reason: 'Unschedulable' });
  });

  it.each([
    ['completes', {}, 'Complete', 'main: terminated Completed 0, 0'],
    ['fails', podStateAnnotations('exit', { exitCode: 2 }), 'Failed', 'main: terminated Error 2, 0'],
  ])('a Job %s', async (name, annotations, type, container) => {
    const path = `/apis/batch/v1/namespaces/${namespace}/jobs`;
    await client.create(path, {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name },
      spec: { backoffLimit: 0, template: { metadata: { annotations }, spec: { ...spec, restartPolicy: 'Never' } } },
    });
    const condition = await waitFor(async () => {
      const job = await client.get(`${path}/${name}`);
      return job['status'].conditions?.find((entry: { type: string }) => entry.type === type);
    });
    expect(condition).toMatchObject({ status: 'True' });
    const pods = await client.list(podPath(''), `batch.kubernetes.io/job-name=${name}`);
    expect(pods.flatMap((pod) => factsOf(pod).containers)).toEqual([container]);
  });

  it('lets a deleted pod go', async () => {
    await createPod('gone', {});
    await reach('gone', { phase: 'Running', ready: 'True', containers: ['main: running, 0'] });
    await client.delete(podPath('gone'));
    await waitFor(async () => (await client.find(podPath('gone'))) === undefined, { what: 'the end of the pod' });
  });

  it('has the kubectl of its version', () => {
    const kubectl = binaries['kubectl'] ?? '';
    const version = execFileSync(kubectl, ['--kubeconfig', kubeconfig, 'version', '-o', 'json'], { encoding: 'utf8' });
    expect((JSON.parse(version) as { serverVersion: { minor: string } }).serverVersion.minor).toBe('37');
  });
});
