import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createNamespace, describeOnBed, provisionVolumes, sharedBed } from '../../cluster/bed.js';
import type { KubeManifest } from '../../cluster/client.js';
import { installCrds } from '../../cluster/install-crds.js';
import { waitFor } from '../../cluster/wait.js';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const FORMER = { apiVersion: 'hermes.k8s.undermountain.cc/v1alpha1', kind: 'HermesAgent' };
const CRD_PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** The commands of the guide, in their order. Blocks that are only shown have another mark. */
function guide(): readonly string[] {
  const text = readFileSync(join(ROOT, 'docs', 'migration.md'), 'utf8');
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, commands = '']) => commands);
}

const run = promisify(execFile);

describeOnBed('handing an agent over', () => {
  const { client, kubeconfig, binaries } = sharedBed();
  let folder = '';
  let namespace = '';
  let operatorNamespace = '';
  let stopProvisioning = (): Promise<void> => Promise.resolve();

  beforeAll(async () => {
    await installCrds(client);
    await client.apply({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'hermesagents.hermes.k8s.undermountain.cc' },
      spec: {
        group: 'hermes.k8s.undermountain.cc',
        scope: 'Namespaced',
        names: { kind: 'HermesAgent', plural: 'hermesagents', singular: 'hermesagent' },
        versions: [
          {
            name: 'v1alpha1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        ],
      },
    });
    await waitFor(() => client.list('/apis/hermes.k8s.undermountain.cc/v1alpha1/hermesagents'));
    namespace = await createNamespace(client, 'migration');
    operatorNamespace = await createNamespace(client, 'migration-operator');
    stopProvisioning = provisionVolumes(client);
    folder = mkdtempSync(join(tmpdir(), 'hermes-migration-'));
    mkdirSync(join(folder, 'bin'));
    const main = `${JSON.stringify(process.execPath)} --import ${import.meta.resolve('tsx')} ${join(ROOT, 'cli/main.ts')}`;
    writeFileSync(join(folder, 'bin', 'npx'), `#!/bin/sh\nshift\nexec ${main} "$@"\n`);
    chmodSync(join(folder, 'bin', 'npx'), 0o755);
  });

  afterAll(async () => {
    await stopProvisioning();
    await client.delete(`${CRD_PATH}/hermesagents.hermes.k8s.undermountain.cc`);
    rmSync(folder, { recursive: true, force: true });
  });

  const claimPath = (agent: string): string =>
    `/api/v1/namespaces/${namespace}/persistentvolumeclaims/hermes-${agent}-data`;
  const formerPath = (agent: string): string =>
    `/apis/${FORMER.apiVersion}/namespaces/${namespace}/hermesagents${agent === '' ? '' : `/${agent}`}`;

  function shell(commands: string): Promise<{ stdout: string; stderr: string }> {
    const env = {
      ...process.env,
      HOME: folder,
      XDG_CACHE_HOME: join(folder, '.cache'),
      KUBECONFIG: kubeconfig,
      PATH: `${join(folder, 'bin')}:${dirname(binaries['kubectl'] ?? '')}:${process.env['PATH'] ?? ''}`,
    };
    return run('bash', ['-euo', 'pipefail', '-c', commands], { cwd: folder, env });
  }

  /** Everything as the former operator leaves it, the claim owned by its agent. */
  async function createFormerAgent(name: string): Promise<{ claimUid: string; volume: string }> {
    const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    const image = 'registry.example.net/hermes:v1';
    const agent = await client.create(formerPath(''), {
      ...FORMER,
      metadata: { name, namespace, finalizers: ['hermes.k8s.undermountain.cc/finalizer'] },
      spec: { image, storage: { persistentVolumeClaim: claim, retainPolicy: 'Delete' } },
    });
    const labels = {
      app: 'hermes',
      'hermes.undermountain.cc/agent': name,
      'hermes.undermountain.cc/agent-ns': namespace,
    };
    const owner = { ...FORMER, name, uid: agent.metadata.uid, controller: true, blockOwnerDeletion: true };
    const metadata = { name: `hermes-${name}`, namespace, labels, ownerReferences: [owner] };
    const template = {
      metadata: { labels },
      spec: {
        containers: [{ name: 'hermes', image, volumeMounts: [{ name: 'data', mountPath: '/opt/data' }] }],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: `hermes-${name}-data` } }],
      },
    };
    const children: KubeManifest[] = [
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { ...metadata, name: `hermes-${name}-data` },
        spec: claim,
      },
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata,
        spec: { replicas: 1, strategy: { type: 'Recreate' }, selector: { matchLabels: labels }, template },
      },
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata,
        spec: { selector: labels, ports: [{ name: 'http', port: 8080 }] },
      },
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    ];
    for (const child of children) await client.apply(child, { fieldManager: 'hermes-operator' });
    await waitFor(async () => {
      const { status } = await client.get(`/apis/apps/v1/namespaces/${namespace}/deployments/hermes-${name}`);
      return status.readyReplicas === 1;
    });
    const { metadata: claimMetadata, ['spec']: claimSpec } = await client.get(claimPath(name));
    return { claimUid: claimMetadata.uid ?? '', volume: claimSpec.volumeName };
  }

  it('keeps the claim by the steps of the guide', async () => {
    const { claimUid, volume } = await createFormerAgent('mia');
    await client.apply({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'hermes-operator', namespace: operatorNamespace },
      spec: {
        replicas: 1,
        selector: { matchLabels: { app: 'operator' } },
        template: {
          metadata: { labels: { app: 'operator' } },
          spec: { containers: [{ name: 'manager', image: 'registry.example.net/operator:v1' }] },
        },
      },
    });
    mkdirSync(join(folder, 'former'));
    const spec = `spec:
  image: registry.example.net/hermes:v1
  storage:
    persistentVolumeClaim: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
    retainPolicy: Delete
`;
    const metadata = `metadata: {name: mia, namespace: ${namespace}}\n`;
    writeFileSync(
      join(folder, 'former', 'mia.yaml'),
      `apiVersion: ${FORMER.apiVersion}\nkind: HermesAgent\n${metadata}${spec}`,
    );
    await shell('npx hermes-gitops convert former -o fleet');

    const tooEarly = shell('npx hermes-gitops plan fleet --against cluster');
    await expect(tooEarly).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringMatching(
        /^! Deployment \S+\/hermes-mia: spec\.selector\.matchLabels\.app: cannot be changed/m,
      ),
    });

    const [names, ...steps] = guide();
    expect(names).toBe('export NS=research AGENT=mia OPERATOR_NS=hermes-operator-system\n');
    expect(steps).toHaveLength(9);
    const here = `export NS=${namespace} AGENT=mia OPERATOR_NS=${operatorNamespace}\n`;
    const { stdout } = await shell(here + steps.join(''));

    expect(stdout).toMatch(/^plan: 1 agent to start, \d+ to create, 1 to change$/m);
    expect(stdout).toMatch(/^~ PersistentVolumeClaim \S+\/hermes-mia-data$/m);
    const claim = await client.get(claimPath('mia'));
    expect([claim.metadata.uid, claim.metadata['ownerReferences'], claim['spec'].volumeName]).toEqual([
      claimUid,
      undefined,
      volume,
    ]);
    expect((await client.get(`/api/v1/persistentvolumes/${volume}`))['spec'].persistentVolumeReclaimPolicy).toBe(
      'Retain',
    );
    expect(await client.find(formerPath('mia'))).toBeUndefined();
    const pods = await client.list(`/api/v1/namespaces/${namespace}/pods`, 'hermes-gitops.dev/agent=mia');
    expect(pods.map((pod) => [pod['status'].phase, pod['spec'].volumes[0].persistentVolumeClaim?.claimName])).toEqual([
      ['Running', 'hermes-mia-data'],
    ]);
    const service = await client.get(`/api/v1/namespaces/${namespace}/services/hermes-mia`);
    expect(service['spec'].selector).toEqual({
      'hermes-gitops.dev/agent': 'mia',
      'hermes-gitops.dev/component': 'gateway',
    });
    const after = await shell('npx hermes-gitops plan fleet --against cluster');
    expect(after.stdout).toBe('plan: nothing changes\n');
  });

  it('loses the claim when the former agent is just deleted', async () => {
    await createFormerAgent('lost');
    await client.mergePatch(formerPath('lost'), { metadata: { finalizers: null } });
    await client.delete(formerPath('lost'));
    // The garbage collector learns of a new kind after up to half a minute.
    await expect.poll(() => client.find(claimPath('lost')), { timeout: 90_000, interval: 200 }).toBeUndefined();
  });
});
