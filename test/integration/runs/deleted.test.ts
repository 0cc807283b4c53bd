import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createNamespace, describeOnBed, provisionVolumes, sharedBed } from '../../cluster/bed.js';
import { installSandboxCrd } from '../../cluster/sandbox-crd.js';
import { eventually, waitFor } from '../../cluster/wait.js';
import { AgentsOnBed, renderedAgent } from '../../support/agents-on-bed.js';
import { hostController, type ControllerHost } from '../../support/controller-host.js';
import { ARGO_MARK, RunsOnBed } from '../../support/runs-on-bed.js';
import { playSandboxes, type SandboxPlayer } from '../../support/sandbox-player.js';

describeOnBed('a run that somebody deletes', () => {
  const bed = sharedBed();
  const { client } = bed;
  let runs: RunsOnBed;
  let doomed: RunsOnBed;
  let player: SandboxPlayer;
  let host: ControllerHost;
  let stopVolumes: () => Promise<void>;

  beforeAll(async () => {
    await installSandboxCrd(client);
    runs = new RunsOnBed(client, await createNamespace(client, 'deleted'));
    doomed = new RunsOnBed(client, await createNamespace(client, 'deleted-whole'));
    player = playSandboxes(client, runs.namespace);
    stopVolumes = provisionVolumes(client);
    host = await hostController(bed);
    await host.start([`--namespaces=${runs.namespace},${doomed.namespace}`]);
  });
  afterAll(async () => {
    await stopVolumes();
    await player.stop();
    await host.stop();
  });

  const isGone = async (path: string): Promise<boolean> => (await client.find(path)) === undefined;

  async function deleted(of: RunsOnBed, name: string): Promise<void> {
    await client.delete(of.path(name), { propagationPolicy: 'Background' });
    await waitFor(() => isGone(of.path(name)), { what: `${name} to go` });
  }

  const noPods = (name: string): Promise<void> =>
    eventually(async () => {
      expect(await runs.pods(name)).toEqual([]);
    });

  describe.concurrent.each(['Job', 'Sandbox'] as const)('in a %s', (kind) => {
    it('takes its workload and its pod with it', async () => {
      const name = `plain-${kind.toLowerCase()}`;
      await runs.startIn(kind, name, { pod: 'running' });
      await runs.reach(name, 'Running');
      await deleted(runs, name);
      await waitFor(() => isGone(runs.workloadPath(kind, name)), { what: `the ${kind} to go` });
      await noPods(name);
    });

    it('leaves the workload that an engine declares, stopped', async () => {
      const name = `marked-${kind.toLowerCase()}`;
      await runs.startIn(kind, name, { pod: 'running', annotations: ARGO_MARK });
      await runs.reach(name, 'Running');
      const { uid } = (await client.get(runs.workloadPath(kind, name))).metadata;
      await deleted(runs, name);
      await noPods(name);
      const left = await client.get(runs.workloadPath(kind, name));
      expect([left.metadata.uid, left.metadata.deletionTimestamp]).toEqual([uid, undefined]);
      expect(await runs.isStopped(kind, name)).toBe(true);
    });
  });

  it('goes with its namespace', async () => {
    await doomed.start('whole', { pod: 'running' });
    await doomed.start('whole-marked', { pod: 'image-pull-back-off', annotations: ARGO_MARK });
    await Promise.all([doomed.reach('whole', 'Running'), doomed.reach('whole-marked', 'Failed')]);
    const path = `/api/v1/namespaces/${doomed.namespace}`;
    await client.delete(path);
    await waitFor(() => isGone(path), { what: 'the namespace to go' });
  });

  it('is never one whose agent was deleted', async () => {
    const agents = new AgentsOnBed(client, runs.namespace);
    const children = renderedAgent('mina', runs.namespace);
    await agents.apply(children);
    await runs.start('goes-on', { pod: 'running' });
    await runs.start('is-over');
    await Promise.all([
      agents.reach('mina', 'Ready'),
      runs.reach('goes-on', 'Running'),
      runs.reach('is-over', 'Succeeded'),
    ]);
    const paths = ['goes-on', 'is-over'].flatMap((name) => [runs.path(name), runs.jobPath(name)]);
    const look = async (): Promise<readonly object[]> => {
      const objects = await Promise.all(paths.map((path) => client.get(path)));
      const pods = [...(await runs.pods('goes-on')), ...(await runs.pods('is-over'))];
      // Not their whole statuses: the control plane is still counting a pod that has just ended.
      return [...objects, ...pods].map(({ metadata, spec, status }) => ({
        uid: metadata.uid,
        deleted: metadata.deletionTimestamp,
        spec,
        phase: status?.['phase'],
      }));
    };
    const before = await look();

    await client.delete(agents.path('mina'), { propagationPolicy: 'Background' });
    await agents.gone('mina');
    await eventually(async () => {
      const kept = 'PersistentVolumeClaim';
      expect((await agents.left(children)).filter((object) => !object.startsWith(kept))).toEqual([]);
    });
    expect(await look()).toEqual(before);
  });
});
