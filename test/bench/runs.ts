import type { KubeManifest } from '../cluster/client.js';
import { startCluster, type Cluster } from '../cluster/cluster.js';
import { installCrds } from '../cluster/install-crds.js';
import { waitFor } from '../cluster/wait.js';
import { runCondition, runWithJob, type RunParts, type RunStatusOnBed } from '../support/runs-on-bed.js';
import { statusWrites } from './audit.js';
import { residentMegabytes, startBundle } from './bundled-controller.js';
import { inParallel } from './parallel.js';
import { seconds, timed } from './timing.js';

type Say = (line: string) => void;

interface Way {
  readonly parts: RunParts;
  /** No node takes the pod. */
  readonly isUnschedulable?: boolean;
  /** What the run has to come to: reason of Succeeded, and the exit code if there is one. */
  readonly reason: string;
  readonly exitCode?: number;
}

const PER_NAMESPACE = 50;
const DEADLINE_SECONDS = 10;

/** Every third run fails in the same way: before it began, by itself, and at its deadline. */
const WAYS = [
  { parts: { pod: 'image-pull-back-off' }, reason: 'ImagePullBackOff' },
  { parts: { pod: 'exit', podOptions: { exitCode: 1 } }, reason: 'Failed', exitCode: 1 },
  {
    parts: { spec: { startupDeadlineSeconds: DEADLINE_SECONDS } },
    isUnschedulable: true,
    reason: 'StartupDeadlineExceeded',
  },
] as const satisfies readonly Way[];

interface BenchedRun {
  readonly key: string;
  readonly way: Way;
  readonly objects: readonly KubeManifest[];
}

/** So many runs that fail, applied as fast as the API server takes them. Rejects when one has not ended as it should. */
export async function benchRuns(count: number, say: Say): Promise<void> {
  const cluster = await startCluster({ report: say });
  try {
    await installCrds(cluster.client);
    say(`runs: ${count}, each third failing in another way`);
    await benchAll(
      cluster,
      Array.from({ length: count }, (_, index) => benchedRun(index)),
      say,
    );
  } finally {
    await cluster.stop();
  }
}

async function benchAll(cluster: Cluster, runs: readonly BenchedRun[], say: Say): Promise<void> {
  const { client } = cluster;
  const namespaces = new Set(runs.map(({ key }) => key.replace(/\/.*/, '')));
  for (const name of namespaces) {
    await client.create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
  await startBundle(cluster);
  const [startedAt, applied] = [
    performance.now(),
    await timed(() =>
      inParallel(runs, async ({ objects }) => {
        for (const object of objects) await client.apply(object, { force: true });
      }),
    ),
  ];
  await waitFor(async () => [...(await statuses(cluster)).values()].filter(isOver).length === runs.length, {
    timeoutMs: 600_000,
    everyMs: 250,
    what: 'every run to end',
  });
  const took = performance.now() - startedAt;
  const wrong = await wrongRuns(cluster, runs);
  if (wrong.length > 0)
    throw new Error(`${wrong.length} runs are not as they should be: ${wrong.slice(0, 5).join('; ')}`);
  say(`  applied in ${seconds(applied)}, all over ${seconds(took)} after the first: ${rate(runs.length, took)}`);
  const writes = [...(await statusWrites(cluster.auditLog, 'agentruns')).values()];
  const total = writes.reduce((sum, written) => sum + written, 0);
  say(`  status writes: ${(total / runs.length).toFixed(2)} a run, at most ${Math.max(...writes)}`);
  say(`  resident: ${await residentMegabytes(cluster)} MB`);
}

/** Runs with another outcome than theirs, and those whose slot does not become free. */
async function wrongRuns(cluster: Cluster, runs: readonly BenchedRun[]): Promise<readonly string[]> {
  const found = await statuses(cluster);
  const outcomes = runs.flatMap(({ key, way }) => {
    const status = found.get(key);
    const reason = status === undefined ? undefined : runCondition(status, 'Succeeded')?.reason;
    const isRight = status?.phase === 'Failed' && reason === way.reason && status.exitCode === way.exitCode;
    return isRight ? [] : [`${key} is ${status?.phase ?? 'missing'}: ${reason ?? ''} instead of ${way.reason}`];
  });
  if (outcomes.length > 0) return outcomes;
  await waitFor(async () => (await busy(cluster)).length === 0, { timeoutMs: 120_000, what: 'every slot to be free' });
  return [];
}

/** Pods of runs that are not over. */
async function busy({ client }: Cluster): Promise<readonly KubeManifest[]> {
  const pods = await client.list('/api/v1/pods', 'hermes-gitops.dev/run');
  return pods.filter(({ status }) => !['Succeeded', 'Failed'].includes((status as { phase: string }).phase));
}

async function statuses({ client }: Cluster): Promise<ReadonlyMap<string, RunStatusOnBed>> {
  const runs = await client.list('/apis/hermes-gitops.dev/v1alpha1/agentruns');
  return new Map(
    runs.map(({ metadata, status }) => [`${metadata.namespace ?? ''}/${metadata.name}`, status as RunStatusOnBed]),
  );
}

function isOver({ completionTime }: RunStatusOnBed): boolean {
  return completionTime !== undefined;
}

function benchedRun(index: number): BenchedRun {
  const [name, namespace] = [`run-${index}`, `runs-${Math.floor(index / PER_NAMESPACE)}`];
  const way: Way = WAYS[(index % WAYS.length) as 0 | 1 | 2];
  const [run, job] = runWithJob(name, namespace, way.parts) as [KubeManifest, KubeManifest];
  const objects = [run, way.isUnschedulable === true ? withoutNode(job) : job];
  return { key: `${namespace}/${name}`, way, objects };
}

function withoutNode(job: KubeManifest): KubeManifest {
  const spec = job['spec'] as { readonly template: { readonly spec: object } };
  const template = { ...spec.template, spec: { ...spec.template.spec, nodeSelector: { gpu: 'none' } } };
  return { ...job, spec: { ...spec, template } };
}

function rate(count: number, milliseconds: number): string {
  return `${(count / (milliseconds / 1000)).toFixed(1)} runs a second to their final status`;
}
