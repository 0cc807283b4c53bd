import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createNamespace, describeOnBed, sharedBed } from '../../cluster/bed.js';
import { eventually } from '../../cluster/wait.js';
import { hostController, type ControllerHost } from '../../support/controller-host.js';
import { ARGO_MARK, runCondition, RunsOnBed, StartedPods, startSelfHealer } from '../../support/runs-on-bed.js';

const OWN_MARK = 'example.org/owner';
const MARKS: readonly string[] = [
  'argocd.argoproj.io/tracking-id',
  'app.kubernetes.io/instance',
  'meta.helm.sh/release-name',
  'kustomize.toolkit.fluxcd.io/name',
  'argocd.argoproj.io/instance',
  'helm.toolkit.fluxcd.io/name',
  'kapp.k14s.io/app',
  'applyset.kubernetes.io/part-of',
  'objectset.rio.cattle.io/hash',
  'configmanagement.gke.io/managed',
  OWN_MARK,
];
const CLI = { 'hermes-gitops.dev/origin': 'cli' } as const;

describeOnBed('runs whose time has come', () => {
  const bed = sharedBed();
  const { client } = bed;
  let runs: RunsOnBed;
  let started: StartedPods;
  let host: ControllerHost;

  beforeAll(async () => {
    runs = new RunsOnBed(client, await createNamespace(client, 'reaping'));
    started = new StartedPods(client, runs.namespace);
    host = await hostController(bed);
    await host.start([`--namespaces=${runs.namespace}`, '--agentrun-ttl=1', `--tracking-marks=${OWN_MARK}`]);
  });
  afterAll(async () => {
    started.stop();
    await host.stop();
  });

  it.each([
    { name: 'own-ttl', parts: { spec: { ttlSecondsAfterFinished: 1 } } },
    { name: 'own-ttl-zero', parts: { spec: { ttlSecondsAfterFinished: 0 } } },
    { name: 'of-the-cli', parts: { annotations: CLI } },
    { name: 'failed', parts: { spec: { ttlSecondsAfterFinished: 1 }, pod: 'image-pull-back-off' as const } },
  ])('are deleted with their workload: $name', async ({ name, parts }) => {
    await runs.start(name, parts);
    await runs.gone(name);
    await eventually(async () => {
      expect((await runs.pods(name)).length).toBe(0);
    });
    expect(started.count(name)).toBe(1);
  });

  it('stay where somebody else declares them, by whichever mark, and say so', async () => {
    const marked = MARKS.map((mark, index) => {
      const marks = { [mark]: 'me' };
      return { name: `marked-${index}`, mark, parts: index % 2 === 0 ? { annotations: marks } : { labels: marks } };
    });
    await Promise.all(
      marked.map(({ name, parts }) => runs.start(name, { ...parts, spec: { ttlSecondsAfterFinished: 0 } })),
    );
    const ends = await Promise.all(marked.map(({ name }) => runs.reach(name, 'Succeeded')));
    await pause(3000);
    for (const [index, { name, mark }] of marked.entries()) {
      const status = await runs.status(name);
      expect(status).toMatchObject({ phase: 'Succeeded', completionTime: ends[index]?.completionTime });
      expect(runCondition(status, 'Reapable'), mark).toMatchObject({
        status: 'False',
        reason: 'TrackedByGitOps',
        message: `not deleted after its TTL of 0 s, because it would come back and run again: the run carries ${mark}; its Job carries ${mark}`,
      });
      expect(await client.find(runs.jobPath(name)), mark).toBeDefined();
    }
  });

  it('stay for ever without a TTL, whoever made them', async () => {
    await runs.start('plain');
    await runs.reach('plain', 'Succeeded');
    await pause(3000);
    const run = await client.get(runs.path('plain'));
    expect(run.metadata.finalizers).toEqual(['hermes-gitops.dev/finalizer']);
    expect(run.metadata['ownerReferences']).toBeUndefined();
    expect(runCondition(await runs.status('plain'), 'Reapable')).toBeUndefined();
  });

  it('run once, fifty of them, whatever an engine that heals itself does', async () => {
    const names = Array.from({ length: 50 }, (_, index) => `sum-${index}`);
    const declared = (
      await Promise.all(
        names.map((name, index) =>
          runs.start(name, {
            spec: { ttlSecondsAfterFinished: 1 },
            annotations: ARGO_MARK,
            ...(index % 2 === 1 && { pod: 'image-pull-back-off' as const }),
          }),
        ),
      )
    ).flat();
    const healer = startSelfHealer(client, declared, 5000);
    try {
      for (const [index, name] of names.entries()) await runs.reach(name, index % 2 === 1 ? 'Failed' : 'Succeeded');
      for (const name of names) await runs.slotFreed(name);
      await pause(12_000);
      await started.look();
      expect(names.map((name) => started.count(name))).toEqual(names.map(() => 1));
      expect(healer.healed()).toBe(0);
      const jobs = await Promise.all(names.map((name) => client.get(runs.jobPath(name))));
      expect(jobs.map(({ spec }) => (spec as { suspend?: boolean }).suspend === true)).toEqual(
        names.map((_, index) => index % 2 === 1),
      );
    } finally {
      healer.stop();
    }
  });
});
