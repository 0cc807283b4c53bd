import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createNamespace, describeOnBed, provisionVolumes, sharedBed } from '../../cluster/bed.js';
import { waitFor } from '../../cluster/wait.js';
import { AgentsOnBed, conditionOf, type AgentCondition } from '../../support/agents-on-bed.js';
import { hostController, type ControllerHost } from '../../support/controller-host.js';
import { fiveAgents } from './agents.js';
import { renderTree } from './fleet-in-git.js';

const NAMES = ['ada', 'bea', 'cleo', 'dora'];

describeOnBed('a fleet applied by hand', () => {
  const bed = sharedBed();
  const { client, kubeconfig, binaries } = bed;
  let namespace: string;
  let agents: AgentsOnBed;
  let host: ControllerHost;
  let stopVolumes: () => Promise<void>;

  beforeAll(async () => {
    namespace = await createNamespace(client, 'by-hand');
    agents = new AgentsOnBed(client, namespace);
    stopVolumes = provisionVolumes(client);
    host = await hostController(bed);
    await host.start([`--namespaces=${namespace}`]);
  });
  afterAll(async () => {
    await stopVolumes();
    await host.stop();
  });

  /** Resolves with what kubectl says about each object: `created`, `configured`, `unchanged`, `serverside-applied`. */
  async function apply(
    specs: Readonly<Record<string, object>>,
    ...flags: readonly string[]
  ): Promise<readonly string[]> {
    const tree = renderTree(Object.entries(specs).map(([name, spec]) => ({ namespace, name, spec })));
    const yaml = [...tree]
      .filter(([path]) => path.endsWith('.yaml') && !path.endsWith('kustomization.yaml'))
      .map(([, content]) => Buffer.from(content).toString('utf8'))
      .join('\n---\n');
    const running = promisify(execFile)(binaries['kubectl'] ?? 'kubectl', [
      `--kubeconfig=${kubeconfig}`,
      'apply',
      '--filename=-',
      ...flags,
    ]);
    running.child.stdin?.end(yaml);
    const lines = (await running).stdout.trim().split('\n');
    return [...new Set(lines.map((line) => line.split(' ').at(-1) ?? ''))].sort();
  }

  const manifestsOf = async (name: string): Promise<AgentCondition | undefined> =>
    conditionOf(await agents.status(name), 'ManifestsCurrent');

  const withoutEve = (): Readonly<Record<string, object>> =>
    Object.fromEntries(Object.entries(fiveAgents(namespace)).filter(([name]) => NAMES.includes(name)));

  it.each([
    { how: 'client-side apply', flags: [], first: ['created'], again: ['unchanged'] },
    {
      how: 'server-side apply',
      flags: ['--server-side', '--force-conflicts'],
      first: ['serverside-applied'],
      again: ['serverside-applied'],
    },
  ])('keeps its digests through $how', async ({ flags, first, again }) => {
    expect(await apply(withoutEve(), ...flags)).toEqual(first);
    for (const name of NAMES) {
      await agents.reach(name, 'Ready');
      expect(await manifestsOf(name)).toMatchObject({ status: 'True', reason: 'SpecDigestMatches' });
    }
    expect(await apply(withoutEve(), ...flags)).toEqual(again);
    for (const name of NAMES) {
      const { metadata } = await client.get(agents.path(name));
      expect(metadata.generation).toBe(1);
      expect(await manifestsOf(name)).toMatchObject({ status: 'True', reason: 'SpecDigestMatches' });
    }
  });

  it('says so when a spec is changed past its rendering, and takes it back', async () => {
    await client.mergePatch(agents.path('ada'), { spec: { image: 'registry.example.net/hermes:v2' } });
    const stale = await waitFor(async () => {
      const condition = await manifestsOf('ada');
      return condition?.status === 'False' && condition;
    });
    expect(stale.reason).toBe('SpecDigestMismatch');
    await apply(withoutEve(), '--server-side', '--force-conflicts');
    await waitFor(async () => (await manifestsOf('ada'))?.status === 'True', { what: 'current manifests' });
    expect((await manifestsOf('bea'))?.status).toBe('True');
  });
});
