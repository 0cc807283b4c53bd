import { afterAll, beforeAll, expect, it } from 'vitest';
import { IMAGE_NOT_THERE } from '../../cluster/failure-stages.js';
import { pathOf } from '../../cluster/client.js';
import type { DeliveryStatus, GitOpsEngine } from '../../cluster/engines/engine.js';
import { setPodState } from '../../cluster/pods.js';
import { waitFor } from '../../cluster/wait.js';
import { AgentsOnBed, describeObject } from '../../support/agents-on-bed.js';
import { fetchPage } from '../../support/controller-process.js';
import { podsCreatedForJobs } from '../../support/created-pods.js';
import { newerRenderer } from '../../support/newer-renderer.js';
import { runCondition, RunsOnBed, type RunStatusOnBed } from '../../support/runs-on-bed.js';
import { playSandboxes, type SandboxPlayer } from '../../support/sandbox-player.js';
import type { GitOpsBed } from './gitops-bed.js';
import { LaidOutRepository } from './laid-out-repository.js';

/** The tests of one engine come after each other, and each is mostly a wait. */
const OPTIONS = { concurrent: false, timeout: 300_000 };

/** Runs that are in Git together; `boxed` has a Sandbox, all others a Job. */
const FINISHED = ['first', 'second', 'boxed'];
const STUCK = ['stuck', 'doomed'];

const TTL = { ttlSecondsAfterFinished: 1 };
const OF_AGENT = { ...TTL, agentRef: { name: 'mia' } };

/** What the tests of one engine work with. */
export interface LaidOutScene {
  readonly bed: GitOpsBed;
  readonly engine: GitOpsEngine;
  /** Namespace of the first agent and of all runs. */
  readonly namespace: string;
}

/** Tests of a repository that `init` has laid out, under the engine of the scene: agents and runs, synced apart. */
export function testLaidOutFleet(scene: () => LaidOutScene): void {
  let bed: GitOpsBed;
  let namespace: string;
  let other: string;
  let agents: AgentsOnBed;
  let runs: RunsOnBed;
  let repository: LaidOutRepository;
  let player: SandboxPlayer;

  beforeAll(() => {
    ({ bed, namespace } = scene());
    other = `two-${namespace}`;
    agents = new AgentsOnBed(bed.client, namespace);
    runs = new RunsOnBed(bed.client, namespace);
    player = playSandboxes(bed.client, namespace);
  });
  afterAll(async () => {
    await player.stop();
    repository.remove();
  });

  const workloadPath = (name: string): string => (name === 'boxed' ? runs.sandboxPath(name) : runs.jobPath(name));

  /** Every run and its workload, with the versions of both and the whole status. */
  const stateOf = async (names: readonly string[]): Promise<Readonly<Record<string, unknown>>> => {
    const objects = await Promise.all(
      names.flatMap((name) => [bed.client.get(runs.path(name)), bed.client.get(workloadPath(name))]),
    );
    return Object.fromEntries(
      objects.map(({ metadata, status, ...object }) => {
        const { uid, generation, resourceVersion } = metadata;
        return [describeObject({ ...object, metadata }), { uid, generation, resourceVersion, status }];
      }),
    );
  };
  const created = (): number => podsCreatedForJobs(bed.cluster.auditLog, namespace);
  const bothSynced = async (): Promise<void> => {
    await Promise.all([
      repository.until(namespace, 'agents', ({ isSynced, isHealthy }) => isSynced && isHealthy),
      repository.until(namespace, 'runs', ({ isSynced }) => isSynced),
    ]);
  };
  const counted = async (): Promise<readonly string[]> => {
    const { body } = await fetchPage(bed.controller.metricsUrl);
    const lines = body.split('\n').filter((line) => line.includes(`namespace="${namespace}"`));
    return lines.filter((line) => line.startsWith('hermes_agentrun'));
  };

  it('syncs what init lays out', OPTIONS, async () => {
    repository = await LaidOutRepository.start(bed, scene().engine, namespace);
    await agents.reach('mia', 'Ready');
    await repository.until(namespace, 'agents', ({ isSynced, isHealthy }) => isSynced && isHealthy);
    // No run yet, which leaves Argo CD nothing to do.
    await repository.until(namespace, 'runs', ({ isHealthy }) => isHealthy);
  });

  it('starts a run once, stops one that cannot start, and deletes neither after its TTL', OPTIONS, async () => {
    for (const name of FINISHED)
      repository.writeRun(name, { ...OF_AGENT, ...(name === 'boxed' && { workload: 'Sandbox' }) });
    for (const name of STUCK) repository.writeRun(name, { ...TTL, image: IMAGE_NOT_THERE });
    await repository.push();
    const pod = { namespace, name: 'hermes-run-boxed' };
    await waitFor(() => bed.client.find(`/api/v1/namespaces/${namespace}/pods/${pod.name}`), {
      what: 'the pod of the Sandbox',
    });
    await setPodState(bed.client, pod, 'exit', { exitCode: 0 });
    const ends = await Promise.all([
      ...FINISHED.map((name) => runs.reach(name, 'Succeeded', 120_000)),
      ...STUCK.map((name) => runs.reach(name, 'Failed', 120_000)),
    ]);
    expect(ends.map((status) => runCondition(status, 'Succeeded')?.reason)).toEqual([
      ...FINISHED.map(() => 'Succeeded'),
      ...STUCK.map(() => 'ImagePullBackOff'),
    ]);
    for (const name of STUCK) {
      await runs.slotFreed(name);
      expect((await bed.client.get(runs.jobPath(name)))['spec'].suspend).toBe(true);
    }
    await waitFor(async () => (await runs.pods('boxed')).length === 0, { what: 'the Sandbox to stop' });
    const mark = scene().engine.name === 'Flux' ? 'kustomize.toolkit.fluxcd.io/name' : 'argocd.argoproj.io/tracking-id';
    for (const name of [...FINISHED, ...STUCK]) {
      const reapable = await waitFor(async () => runCondition(await runs.status(name), 'Reapable'), {
        what: `${name} to say that it stays`,
      });
      expect(reapable).toMatchObject({
        status: 'False',
        reason: 'TrackedByGitOps',
        message: expect.stringContaining(`the run carries ${mark}`) as string,
      });
    }
    await bothSynced();
    expect(created()).toBe(4);
  });

  it('runs nothing again for a new image of its agent, or for a newer renderer', OPTIONS, async () => {
    const before = await stateOf([...FINISHED, ...STUCK]);
    repository.write(namespace, 'mia', { image: 'registry.example.net/hermes:v2' });
    await repository.push();
    await waitFor(async () => (await agents.status('mia')).observedImage === 'registry.example.net/hermes:v2', {
      what: 'the new image',
      timeoutMs: 120_000,
    });
    await agents.reach('mia', 'Ready');
    await bothSynced();
    expect(await stateOf([...FINISHED, ...STUCK])).toEqual(before);

    const renderer = newerRenderer();
    try {
      repository.writeRun('next', OF_AGENT);
      await repository.push({ renderer });
    } finally {
      renderer.remove();
    }
    const sharedMemory = async (path: string): Promise<unknown> => {
      const { volumes } = (await bed.client.get(path))['spec'].template.spec;
      return volumes.find((volume: { readonly name: string }) => volume.name === 'dshm').emptyDir.sizeLimit;
    };
    await runs.reach('next', 'Succeeded', 120_000);
    await bothSynced();
    await agents.reach('mia', 'Ready');
    // It renders both kinds in another way, where it renders them at all.
    expect(await sharedMemory(`/apis/apps/v1/namespaces/${namespace}/deployments/hermes-mia`)).toBe('2Gi');
    expect(await sharedMemory(runs.jobPath('next'))).toBe('2Gi');
    expect(await stateOf([...FINISHED, ...STUCK])).toEqual(before);
    expect(created()).toBe(5);
  });

  it('leaves a failed run stopped for ten intervals, in sync, and the agents healthy', OPTIONS, async () => {
    const before = await stateOf([...FINISHED, ...STUCK]);
    const [ofRuns, ofAgents] = await Promise.all([
      repository.passes(namespace, 'runs', 10),
      repository.passes(namespace, 'agents', 10),
    ]);
    // While it is at it Flux says nothing of the state.
    const told = (seen: readonly DeliveryStatus[]): readonly DeliveryStatus[] =>
      seen.filter(({ message }) => !message.startsWith('Progressing:'));
    expect(told(ofRuns).filter(({ isSynced }) => !isSynced)).toEqual([]);
    expect(told(ofAgents).filter(({ isSynced, isHealthy }) => !isSynced || !isHealthy)).toEqual([]);
    await bothSynced();
    // For Argo CD a failed run is Degraded: the Application of the runs, and no other.
    const isFlux = scene().engine.name === 'Flux';
    await repository.until(namespace, 'runs', ({ isHealthy }) => isHealthy === isFlux);
    expect(await stateOf([...FINISHED, ...STUCK])).toEqual(before);
    expect(created()).toBe(5);
  });

  it('brings back a run that somebody deletes, and runs nothing again', OPTIONS, async () => {
    const former = await Promise.all(['first', 'doomed'].map((name) => bed.client.get(runs.path(name))));
    const jobs = await Promise.all(['first', 'doomed'].map((name) => bed.client.get(runs.jobPath(name))));
    await bed.kubectl(['delete', 'agentrun', 'first', 'doomed', `--namespace=${namespace}`, '--timeout=60s']);
    const back = await waitFor(
      async () => {
        const now = await Promise.all(former.map((run) => bed.client.get(pathOf(run))));
        const isBack = now.every(({ metadata }, index) => metadata.uid !== former[index]?.metadata.uid);
        return isBack && now;
      },
      { what: 'both runs', timeoutMs: 120_000 },
    );
    const first = await runs.reach('first', 'Succeeded');
    expect(first.completionTime).toBe((former[0]?.['status'] as RunStatusOnBed).completionTime);
    const doomed = await runs.reach('doomed', 'Pending');
    expect(runCondition(doomed, 'Succeeded')?.reason).toBe('Suspended');
    await repository.passes(namespace, 'runs', 3);
    const again = await Promise.all(former.map((run) => bed.client.get(pathOf(run))));
    expect(again.map(({ metadata }) => metadata.uid)).toEqual(back.map(({ metadata }) => metadata.uid));
    const jobsNow = await Promise.all(jobs.map((job) => bed.client.get(pathOf(job))));
    expect(jobsNow.map(({ metadata }) => metadata.uid)).toEqual(jobs.map(({ metadata }) => metadata.uid));
    expect(await runs.pods('doomed')).toEqual([]);
    expect(created()).toBe(5);
  });

  it('deletes a run that leaves Git, and counts it no more', OPTIONS, async () => {
    const series = (agent: string, phase: string, count: number): string =>
      `hermes_agentrun_phase{namespace="${namespace}",agent="${agent}",phase="${phase}"} ${count}`;
    expect(await counted()).toEqual(
      expect.arrayContaining([series('mia', 'Succeeded', 4), series('', 'Failed', 1), series('', 'Pending', 1)]),
    );
    for (const name of ['first', 'doomed']) repository.writeRun(name, undefined);
    await repository.push();
    await Promise.all(['first', 'doomed'].map((name) => runs.gone(name, 120_000)));
    await waitFor(async () => (await runs.pods('first')).length === 0, { what: 'the pod to go' });
    await bothSynced();
    expect(await counted()).toEqual(
      expect.arrayContaining([series('mia', 'Succeeded', 3), series('', 'Failed', 1), series('', 'Pending', 0)]),
    );
    expect(created()).toBe(5);
  });

  it('deletes what runs prune takes out of Git, and starts nothing', OPTIONS, async () => {
    const names = ['second', 'boxed', 'next', 'stuck'];
    expect(await repository.pruneRuns()).toEqual([
      ...names
        .map((name) => {
          const phase = name === 'stuck' ? 'Failed' : 'Succeeded';
          return `agents/run-${name}.yaml: removed run ${namespace}/${name} (${phase})`;
        })
        .sort(),
      'run synth --prune to take them out of the rendered folder too',
    ]);
    await repository.push();
    const collections = [
      runs.collection,
      `/apis/batch/v1/namespaces/${namespace}/jobs`,
      `/apis/agents.x-k8s.io/v1beta1/namespaces/${namespace}/sandboxes`,
    ];
    const left = async (): Promise<readonly string[]> => {
      const lists = await Promise.all([
        ...collections.map((path) => bed.client.list(path)),
        bed.client.list(`/api/v1/namespaces/${namespace}/pods`, 'hermes-gitops.dev/run'),
      ]);
      return lists.flat().map(({ metadata }) => metadata.name);
    };
    await waitFor(async () => (await left()).length === 0, {
      what: 'everything of the runs to go',
      timeoutMs: 120_000,
    });
    await bothSynced();
    await repository.passes(namespace, 'runs', 2);
    expect(await left()).toEqual([]);
    expect(await counted()).toEqual([]);
    expect(created()).toBe(5);
  });

  it('syncs one namespace whatever is refused in another', OPTIONS, async () => {
    repository.addNamespace(other);
    repository.write(other, 'noa', {});
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'node-reader' };
    repository.write(namespace, 'zoe', { rbac: { clusterRoleBindings: [{ roleRef }] } });
    // In the list of synth and not in that of the cluster: the API server refuses the binding.
    await repository.push({ allowedClusterRoles: ['node-reader'] });
    const others = new AgentsOnBed(bed.client, other);
    await others.reach('noa', 'Ready', 120_000);
    await repository.until(other, 'agents', ({ isSynced, isHealthy }) => isSynced && isHealthy);
    await repository.until(namespace, 'agents', ({ isSynced, isHealthy, message }) => {
      const isNamed = /ClusterRoleBinding/i.test(message) && /zoe\S* .*(forbidden|denied)/is.test(message);
      return !isSynced && !isHealthy && isNamed;
    });
    repository.write(namespace, 'zoe', undefined);
    repository.write(namespace, 'lea', {});
    await repository.push();
    await agents.reach('lea', 'Ready', 120_000);
    await repository.until(namespace, 'agents', ({ isSynced, isHealthy }) => isSynced && isHealthy);
  });

  it('deletes the last agent of a namespace', OPTIONS, async () => {
    repository.write(other, 'noa', undefined);
    await repository.push();
    const others = new AgentsOnBed(bed.client, other);
    await others.gone('noa', 120_000);
    await repository.until(other, 'agents', ({ isHealthy }) => isHealthy);
    const claims = await bed.client.list(`/api/v1/namespaces/${other}/persistentvolumeclaims`);
    expect(claims.map(({ metadata }) => metadata.name)).toEqual(['hermes-noa-data']);
    await agents.reach('lea', 'Ready');
  });
}
