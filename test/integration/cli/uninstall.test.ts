import { afterAll, beforeAll, expect, it } from 'vitest';
import { SYSTEM_NAMESPACE } from '../../../charts/install/names.js';
import { EXIT, IoError, type ExitCode } from '../../../cli/exit-codes.js';
import { releaseFinalizers } from '../../../cli/release-finalizers.js';
import { uninstall, type UninstallOptions } from '../../../cli/uninstall.js';
import { createNamespace, describeOnBed } from '../../cluster/bed.js';
import { startCluster, type Cluster } from '../../cluster/cluster.js';
import { waitFor } from '../../cluster/wait.js';
import { AgentsOnBed, bareAgent, describeObject, renderedAgent } from '../../support/agents-on-bed.js';
import { hostController, type ControllerHost } from '../../support/controller-host.js';
import type { ControllerProcess } from '../../support/controller-process.js';
import { installObjects } from '../../support/install-set.js';

const OURS = 'hermes-gitops.dev/finalizer';
const AUDIT = 'example.org/audit';
const DEPLOYMENT = `/apis/apps/v1/namespaces/${SYSTEM_NAMESPACE}/deployments/hermes-gitops-controller`;
const CRD = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/hermesagents.hermes-gitops.dev';
const HELD = /holds the Lease hermes-gitops-system\/hermes-gitops-controller/;

describeOnBed('taking the controller out of a cluster', () => {
  let cluster: Cluster;
  let agents: AgentsOnBed;
  let host: ControllerHost;

  beforeAll(async () => {
    cluster = await startCluster({ apiServerOnly: true });
    agents = new AgentsOnBed(cluster.client, await createNamespace(cluster.client, 'leaving'));
    host = await hostController(cluster);
  });
  afterAll(() => cluster.stop());
  afterAll(() => host.stop());

  const lead = (): Promise<ControllerProcess> =>
    host.start(['--leader-elect', `--leader-election-namespace=${SYSTEM_NAMESPACE}`]);

  const options = (more: Partial<UninstallOptions> = {}): UninstallOptions => ({
    kubeconfig: cluster.kubeconfig,
    controllerNamespace: SYSTEM_NAMESPACE,
    dryRun: false,
    yes: true,
    force: false,
    deleteCrds: false,
    ...more,
  });

  interface Said {
    readonly code: ExitCode;
    readonly out: readonly string[];
    readonly err: readonly string[];
  }

  async function run(verb: 'release' | 'uninstall', more: Partial<UninstallOptions> = {}): Promise<Said> {
    const out: string[] = [];
    const err: string[] = [];
    const printer = { out: (line: string) => out.push(line), err: (line: string) => err.push(line) };
    const code = await (verb === 'release' ? releaseFinalizers : uninstall)(options(more), printer);
    return { code, out, err };
  }

  const finalizersOf = async (name: string): Promise<readonly string[]> =>
    (await cluster.client.get(agents.path(name))).metadata.finalizers ?? [];

  const held = (name: string): Promise<unknown> =>
    waitFor(async () => (await finalizersOf(name)).includes(OURS), { what: `${name} to be held` });

  it('releases agents whose controller is gone, and nothing that somebody else holds', async () => {
    const { client } = cluster;
    const { namespace } = agents;
    await agents.apply(renderedAgent('going', namespace, { suspend: true }));
    await client.create(agents.path(), bareAgent('staying', namespace, { suspend: true }));
    const audited = bareAgent('audited', namespace, { suspend: true });
    await client.create(agents.path(), { ...audited, metadata: { ...audited.metadata, finalizers: [AUDIT] } });
    const controller = await lead();
    for (const name of ['going', 'staying', 'audited']) await held(name);
    await controller.end('SIGKILL');
    await client.delete(agents.path('going'));

    const names = ['audited', 'going', 'staying'].map((name) => `HermesAgent ${namespace}/${name}`);
    await expect(run('release')).rejects.toThrow(HELD);
    expect(await run('release', { force: true, dryRun: true })).toEqual({
      code: EXIT.done,
      out: names.map((name) => `would release ${name}`),
      err: [],
    });
    expect(await run('release', { force: true, yes: false })).toMatchObject({
      code: EXIT.usage,
      err: ['error: nothing was changed; add --yes to do it'],
    });
    expect(await finalizersOf('going')).toEqual([OURS]);

    expect(await run('release', { force: true })).toEqual({
      code: EXIT.done,
      out: [...names.map((name) => `release ${name}`), 'what was rendered for them stays'],
      err: [],
    });
    expect(await client.find(agents.path('going'))).toBeUndefined();
    expect([await finalizersOf('staying'), await finalizersOf('audited')]).toEqual([[], [AUDIT]]);
    expect(await run('release', { force: true })).toEqual({
      code: EXIT.done,
      out: ['nothing carries the finalizer'],
      err: [],
    });
  });

  it('uninstalls in the order that leaves nothing hanging', async () => {
    const { client } = cluster;
    const objects = installObjects();
    const deployment = objects.get('deployment');
    if (deployment === undefined) throw new Error('the install set has no Deployment');
    await client.delete(`/apis/coordination.k8s.io/v1/namespaces/${SYSTEM_NAMESPACE}/leases/hermes-gitops-controller`);
    await client.apply(deployment, { fieldManager: 'install', force: true });
    const rendered = renderedAgent('resting', agents.namespace, { suspend: true });
    await agents.apply(rendered);
    const controller = await lead();
    await held('resting');
    const installed = [...objects.values()].filter(({ kind }) => kind !== 'CustomResourceDefinition');

    const planned = await run('uninstall', { dryRun: true });
    expect(planned.code).toBe(EXIT.done);
    expect(planned.out.filter((line) => /^\d/.test(line))).toEqual([
      '1. delete the controller, and wait until nobody holds its Lease in hermes-gitops-system',
      '2. remove the finalizer; what was rendered stays, and so do the volumes',
      '3. delete what is labelled app.kubernetes.io/part-of=hermes-gitops',
      '4. keep the kinds, and with them every agent and run (--delete-crds deletes them)',
    ]);
    expect(planned.out).toContain(`   HermesAgent ${agents.namespace}/resting`);
    expect(await agents.left(installed)).toEqual(installed.map(describeObject));

    const mark = 'argocd.argoproj.io/tracking-id';
    await client.mergePatch(DEPLOYMENT, { metadata: { annotations: { [mark]: 'app:apps/Deployment:x/y' } } });
    await expect(run('uninstall')).rejects.toThrow(
      `Deployment hermes-gitops-system/hermes-gitops-controller is applied by Argo CD, as its ${mark} says, and would come back`,
    );
    await client.mergePatch(DEPLOYMENT, { metadata: { annotations: { [mark]: null } } });

    const going = run('uninstall');
    // What the kubelet does to a pod whose Deployment is deleted.
    await waitFor(async () => (await client.find(DEPLOYMENT)) === undefined, { what: 'the Deployment to go' });
    expect(await finalizersOf('resting')).toEqual([OURS]);
    expect(await controller.end('SIGTERM')).toBe(0);
    expect((await going).code).toBe(EXIT.done);
    expect(await finalizersOf('resting')).toEqual([]);
    expect(await agents.left(rendered)).toEqual(rendered.map(describeObject));
    const gone = installed.filter(({ metadata }) => metadata.namespace === undefined);
    expect(await agents.left(gone)).toEqual([]);
    expect(await client.find(CRD)).toBeDefined();

    // What somebody else holds would hold its kind too.
    await client.mergePatch(agents.path('audited'), { metadata: { finalizers: null } });
    expect((await run('uninstall', { deleteCrds: true })).code).toBe(EXIT.done);
    await waitFor(async () => (await client.find(CRD)) === undefined, { what: 'the kind to go' });
    expect(await agents.left(rendered.slice(1))).toEqual(rendered.slice(1).map(describeObject));
  });

  it('tells what is wrong with the connection in a sentence', async () => {
    await expect(run('uninstall', { kubeconfig: '/nowhere' })).rejects.toThrow(IoError);
  });
});
