import { beforeAll, expect, it } from 'vitest';
import { runIn } from '../../../cli/run.js';
import type { RunOptions } from '../../../cli/run/options.js';
import { KubeClient as ProductClient } from '../../../controller/kube/client.js';
import { createNamespace, describeOnBed, sharedBed } from '../../cluster/bed.js';
import { installCrds } from '../../cluster/install-crds.js';
import { waitFor } from '../../cluster/wait.js';

const AGENT = {
  image: 'registry.example.net/hermes:v1',
  storage: { existingClaimName: 'home' },
  // Allowed by no list of this command; the run does not bind anything.
  rbac: { clusterRoleBindings: [{ roleRef: { kind: 'ClusterRole', name: 'node-reader' } }] },
};

describeOnBed('hermes-gitops run', () => {
  const { client, server, ca, adminToken } = sharedBed();
  const api = new ProductClient({
    server: new URL(server),
    credentials: () => Promise.resolve({ headers: { authorization: `Bearer ${adminToken}` }, tls: { ca } }),
  });
  let namespace: string;

  beforeAll(async () => {
    await installCrds(client);
    namespace = await createNamespace(client, 'cli-run');
    await client.create(`/apis/hermes-gitops.dev/v1alpha1/namespaces/${namespace}/hermesagents`, {
      apiVersion: 'hermes-gitops.dev/v1alpha1',
      kind: 'HermesAgent',
      metadata: { name: 'mia' },
      spec: AGENT,
    });
  });

  const run = async (
    options: Partial<RunOptions> = {},
    out: string[] = [],
  ): Promise<{ code: number; out: string[]; err: string[] }> => {
    const err: string[] = [];
    const printer = { out: (text: string) => out.push(text), err: (text: string) => err.push(text) };
    const base: RunOptions = {
      agent: 'mia',
      instructions: 'Sum it up.',
      namespace,
      workload: 'Job',
      wait: false,
      timeout: 0,
      ...options,
    };
    return { code: await runIn(api, base, printer), out, err };
  };

  const runPath = (name: string): string =>
    `/apis/hermes-gitops.dev/v1alpha1/namespaces/${namespace}/agentruns/${name}`;
  const jobPath = (name: string): string => `/apis/batch/v1/namespaces/${namespace}/jobs/hermes-run-${name}`;
  const setStatus = (name: string, phase: string, reason: string): Promise<unknown> =>
    client.mergePatch(`${runPath(name)}/status`, {
      status: {
        phase,
        conditions: [
          {
            type: 'Succeeded',
            status: phase === 'Succeeded' ? 'True' : phase === 'Failed' ? 'False' : 'Unknown',
            reason,
            message: `because of ${reason}`,
            lastTransitionTime: '2026-11-29T12:00:00Z',
          },
        ],
      },
    });

  it('creates the run, and a Job that goes with it', async () => {
    const { code, out } = await run();
    expect(code).toBe(0);
    const name = /^agentrun [^/]+\/(mia-[a-z0-9]{5}) created$/.exec(out[0] ?? '')?.[1] ?? '';
    const stored = await client.get(runPath(name));
    expect(stored['spec']).toEqual({ agentRef: { name: 'mia' }, instructions: 'Sum it up.', workload: 'Job' });
    expect(stored.metadata.annotations).toEqual({ 'hermes-gitops.dev/origin': 'cli' });
    const job = await client.get(jobPath(name));
    expect(job.metadata.annotations).toMatchObject({ 'hermes-gitops.dev/origin': 'cli' });
    expect(job.metadata['ownerReferences']).toEqual([
      {
        apiVersion: 'hermes-gitops.dev/v1alpha1',
        kind: 'AgentRun',
        name,
        uid: stored.metadata.uid,
        controller: true,
      },
    ]);
    await client.delete(runPath(name));
    await waitFor(async () => (await client.find(jobPath(name))) === undefined, { what: 'the Job to go with its run' });
  });

  it.each([
    ['Succeeded', 'Succeeded', 0],
    ['Failed', 'ImagePullBackOff', 10],
    ['Failed', 'LimitReached', 11],
  ])('waits for %s because of %s, and exits with %i', async (phase, reason, want) => {
    const name = `wait-${reason.toLowerCase()}`;
    const waiting = run({ name, wait: true });
    await waitFor(async () => (await client.find(runPath(name))) !== undefined, { what: 'the run' });
    await setStatus(name, 'Pending', 'PodPending');
    await setStatus(name, phase, reason);
    const { code, out } = await waiting;
    expect(code).toBe(want);
    expect(out[0]).toBe(`agentrun ${namespace}/${name} created`);
    expect(out.at(-1)).toContain(`because of ${reason}`);
  });

  it('sees the end of a run that is deleted at once', async () => {
    const lines: string[] = [];
    const waiting = run({ name: 'gone', wait: true }, lines);
    await waitFor(async () => (await client.find(runPath('gone'))) !== undefined, { what: 'the run' });
    await setStatus('gone', 'Pending', 'PodPending');
    await waitFor(() => Promise.resolve(lines.length === 2), { what: 'the first look at the run' });
    await setStatus('gone', 'Failed', 'OOMKilled');
    await client.delete(runPath('gone'));
    expect((await waiting).code).toBe(10);
  });

  it('gives up after --timeout and leaves the run', async () => {
    const { code, err } = await run({ name: 'slow', wait: true, timeout: 1 });
    expect([code, err]).toEqual([124, ['error: not over after 1 s; the run goes on']]);
    expect(await client.find(runPath('slow'))).toBeDefined();
  });

  it('prints what a file in Git should hold, and creates nothing', async () => {
    const { code, out } = await run({ name: 'printed', output: 'yaml' });
    expect(code).toBe(0);
    expect(out.join('\n')).toMatch(/^---\napiVersion: hermes-gitops\.dev\/v1alpha1\nkind: AgentRun\n/);
    expect(out.join('\n')).toContain('kind: Job\n');
    expect(out.join('\n')).not.toContain('origin');
    expect(await client.find(runPath('printed'))).toBeUndefined();
  });

  it.each([
    ['an agent that is not there', { agent: 'eve' }, /^error: no HermesAgent .*\/eve in the cluster/],
    ['a name that no Job can have', { name: 'a'.repeat(53) }, /^error: metadata\.name: the name has to be at most 52/],
    ['a deadline below zero', { startupDeadline: -1 }, /^error: spec\.startupDeadlineSeconds: has to be at least 0/],
  ])('refuses %s', async (_what, options, want) => {
    const { code, err } = await run(options);
    expect(code).toBe(1);
    expect(err).toEqual([expect.stringMatching(want)]);
  });

  it('makes no run when a workload of its name is there, and leaves that one alone', async () => {
    const before = await client.create(`/apis/batch/v1/namespaces/${namespace}/jobs`, {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'hermes-run-taken' },
      spec: {
        suspend: true,
        template: { spec: { restartPolicy: 'Never', containers: [{ name: 'other', image: AGENT.image }] } },
      },
    });
    await expect(run({ name: 'taken' })).rejects.toThrow(
      `Job ${namespace}/hermes-run-taken already exists; choose another --name`,
    );
    expect(await client.find(runPath('taken'))).toBeUndefined();
    expect((await client.get(jobPath('taken'))).metadata.uid).toBe(before.metadata.uid);
  });
});
