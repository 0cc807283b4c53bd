import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { createNamespace, describeOnBed, sharedBed } from '../../cluster/bed.js';
import type { KubeManifest } from '../../cluster/client.js';
import { BED_ANNOTATIONS } from '../../cluster/failure-stages.js';
import { waitFor } from '../../cluster/wait.js';

interface PodFacts {
  readonly phase: string;
  readonly ready: string | undefined;
  readonly waiting: string | undefined;
  readonly lastExit: string | undefined;
}

function factsOf(pod: KubeManifest): PodFacts {
  const status = pod['status'];
  const [container] = status.containerStatuses ?? [];
  const last = container?.lastState?.terminated;
  return {
    phase: status.phase,
    ready: status.conditions?.find((condition: { type: string }) => condition.type === 'Ready')?.status,
    waiting: container?.state?.waiting?.reason,
    lastExit: last === undefined ? undefined : `${last.reason} ${last.exitCode}`,
  };
}

describeOnBed('the test bed', () => {
  const { client, binaries, kubeconfig } = sharedBed();
  let namespace = '';

  beforeAll(async () => {
    namespace = await createNamespace(client, 'bed');
  });

  const podTemplate = (annotations: Record<string, string>): object => ({
    metadata: { labels: { app: 'x' }, annotations },
    spec: { containers: [{ name: 'main', image: 'registry.example.net/main:v1' }] },
  });

  async function deploy(name: string, annotations: Record<string, string>): Promise<void> {
    await client.apply({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, namespace },
      spec: { replicas: 1, selector: { matchLabels: { app: 'x' } }, template: podTemplate(annotations) },
    });
  }

  async function podOf(owner: string): Promise<KubeManifest | undefined> {
    const pods = await client.list(`/api/v1/namespaces/${namespace}/pods`);
    return pods.find((pod) => pod.metadata.name.startsWith(`${owner}-`));
  }

  it('runs the API server that the product is tested on', async () => {
    expect((await client.get('/version'))['gitVersion']).toMatch(/^v1\.37\./);
  });

  it('brings a pod up', async () => {
    await deploy('good', {});
    const pod = await waitFor(async () => {
      const found = await podOf('good');
      return found !== undefined && factsOf(found).ready === 'True' && found;
    });
    expect(factsOf(pod)).toEqual({ phase: 'Running', ready: 'True', waiting: undefined, lastExit: undefined });
  });

  it.each([
    ['image-pull-back-off', { phase: 'Pending', waiting: 'ImagePullBackOff', lastExit: undefined }],
    ['err-image-pull', { phase: 'Pending', waiting: 'ErrImagePull', lastExit: undefined }],
    ['config-error', { phase: 'Pending', waiting: 'CreateContainerConfigError', lastExit: undefined }],
    ['crash-loop', { phase: 'Running', waiting: 'CrashLoopBackOff', lastExit: 'Error 1' }],
    ['oom-loop', { phase: 'Running', waiting: 'CrashLoopBackOff', lastExit: 'OOMKilled 137' }],
    ['not-ready', { phase: 'Running', waiting: undefined, lastExit: undefined }],
  ] as const)('puts a pod into %s', async (state, want) => {
    await deploy(state, { [BED_ANNOTATIONS.state]: state });
    const pod = await waitFor(async () => {
      const found = await podOf(state);
      return found?.['status'].containerStatuses !== undefined && found;
    });
    expect(factsOf(pod)).toEqual({ ...want, ready: 'False' });
  });

  it('moves a live pod out of its trouble and back', async () => {
    await deploy('moving', { [BED_ANNOTATIONS.state]: 'image-pull-back-off' });
    const { metadata } = await waitFor(() => podOf('moving'));
    const path = `/api/v1/namespaces/${namespace}/pods/${metadata.name}`;
    for (const [state, want] of [
      ['ready', 'True'],
      ['crash-loop', 'False'],
      ['ready', 'True'],
      ['not-ready', 'False'],
    ] as const) {
      await client.mergePatch(path, { metadata: { annotations: { [BED_ANNOTATIONS.state]: state } } });
      const pod = await waitFor(
        async () => {
          const found = await client.get(path);
          return factsOf(found).ready === want && found;
        },
        { what: `Ready ${want} after ${state}` },
      );
      expect(factsOf(pod).waiting).toBe(state === 'crash-loop' ? 'CrashLoopBackOff' : undefined);
    }
  });

  it('leaves a pod that fits no node to the scheduler', async () => {
    const template = podTemplate({}) as { spec: object };
    await client.apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'nowhere', namespace },
      spec: { ...template.spec, nodeSelector: { gpu: 'yes' } },
    });
    const condition = await waitFor(async () => {
      const pod = await client.get(`/api/v1/namespaces/${namespace}/pods/nowhere`);
      return pod['status'].conditions?.find((entry: { type: string }) => entry.type === 'PodScheduled');
    });
    expect(condition).toMatchObject({ status: 'False', reason: 'Unschedulable' });
  });

  it.each([
    ['completes', {}, { type: 'Complete', status: 'True' }],
    ['fails', { [BED_ANNOTATIONS.state]: 'exit', [BED_ANNOTATIONS.exitCode]: '2' }, { type: 'Failed', status: 'True' }],
  ])('a Job %s', async (name, annotations, want) => {
    const path = `/apis/batch/v1/namespaces/${namespace}/jobs`;
    const { metadata: _labels, spec } = podTemplate({}) as { metadata: object; spec: object };
    await client.create(path, {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name },
      spec: { backoffLimit: 0, template: { metadata: { annotations }, spec: { ...spec, restartPolicy: 'Never' } } },
    });
    const condition = await waitFor(async () => {
      const job = await client.get(`${path}/${name}`);
      return job['status'].conditions?.find((entry: { type: string }) => entry.type === want.type);
    });
    expect(condition).toMatchObject(want);
  });

  it('has the kubectl of its version', () => {
    const kubectl = binaries['kubectl'] ?? '';
    const version = execFileSync(kubectl, ['--kubeconfig', kubeconfig, 'version', '-o', 'json'], { encoding: 'utf8' });
    expect((JSON.parse(version) as { serverVersion: { minor: string } }).serverVersion.minor).toBe('37');
  });

  it('leaves no process and no folder behind when its owner is killed', async () => {
    const script = fileURLToPath(new URL('../../cluster/hold.ts', import.meta.url));
    const owner = spawn(process.execPath, ['--import', createRequire(import.meta.url).resolve('tsx'), script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const directory = await new Promise<string>((resolve) => {
      owner.stdout.once('data', (chunk: Buffer) => {
        resolve(chunk.toString().trim());
      });
    });
    expect(processesOf(directory).length).toBeGreaterThanOrEqual(2);
    owner.kill('SIGKILL');
    await waitFor(() => Promise.resolve(!existsSync(directory) && processesOf(directory).length === 0), {
      what: 'the end of the bed',
    });
  });
});

/** Command lines of running processes that name the folder. */
function processesOf(directory: string): string[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      } catch {
        return '';
      }
    })
    .filter((command) => command.includes(directory));
}
