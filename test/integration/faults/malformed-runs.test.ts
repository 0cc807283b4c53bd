import { afterAll, beforeAll, expect, it } from 'vitest';
import { agentRunCrd } from '../../../lib/api/crd.js';
import { FINALIZER } from '../../../lib/api/identity.js';
import { createNamespace, describeOnBed } from '../../cluster/bed.js';
import type { KubeManifest } from '../../cluster/client.js';
import { startCluster, type Cluster } from '../../cluster/cluster.js';
import { installCrds } from '../../cluster/install-crds.js';
import { eventually, waitFor } from '../../cluster/wait.js';
import { hostController, type ControllerHost } from '../../support/controller-host.js';
import { fetchPage, type ControllerProcess } from '../../support/controller-process.js';
import { runCondition, RunsOnBed } from '../../support/runs-on-bed.js';

const SPEC = { image: 'registry.example.net/hermes:v1', instructions: 'Sum up.' };

/** Specs that no schema of ours lets through, and what is said of them: one that can be read is judged by its workload. */
const MALFORMED: Readonly<Record<string, { readonly spec?: unknown; readonly says: string }>> = {
  null: { spec: null, says: 'InvalidSpec spec is not a map' },
  absent: { says: 'InvalidSpec spec is not a map' },
  'env-map': { spec: { ...SPEC, env: { A: '1' } }, says: 'WorkloadMissing there is no Job hermes-run-env-map' },
  'image-number': { spec: { ...SPEC, image: 7 }, says: 'WorkloadMissing there is no Job hermes-run-image-number' },
};

describeOnBed('runs that were stored past the schema', () => {
  let cluster: Cluster;
  let runs: RunsOnBed;
  let host: ControllerHost;
  let controller: ControllerProcess;

  beforeAll(async () => {
    cluster = await startCluster({ apiServerOnly: true });
    runs = new RunsOnBed(cluster.client, await createNamespace(cluster.client, 'malformed-runs'));
    host = await hostController(cluster);
    await store();
    controller = await host.start();
  });
  afterAll(() => cluster.stop());
  afterAll(() => host.stop());

  /** Our CRD with a schema that allows everything. */
  function permissiveCrd(): KubeManifest {
    const crd = structuredClone(agentRunCrd()) as unknown as KubeManifest;
    const [version] = crd['spec'].versions as { schema: { openAPIV3Schema: object } }[];
    if (version === undefined) throw new Error('the CRD has no version');
    version.schema.openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    return crd;
  }

  async function store(): Promise<void> {
    const { client } = cluster;
    await client.apply(permissiveCrd(), { force: true });
    for (const [name, { spec }] of Object.entries(MALFORMED)) {
      const metadata = { name, namespace: runs.namespace, finalizers: [FINALIZER] };
      const body = {
        apiVersion: 'hermes-gitops.dev/v1alpha1',
        kind: 'AgentRun',
        metadata,
        ...(spec !== undefined && { spec }),
      };
      // The new schema is in force a moment after the CRD was stored.
      await waitFor(
        async () => (await client.request({ method: 'POST', path: runs.collection, body })).statusCode === 201,
        { what: `${name} to be stored` },
      );
    }
    await installCrds(client);
    const body = {
      apiVersion: 'hermes-gitops.dev/v1alpha1',
      kind: 'AgentRun',
      metadata: { name: 'probe' },
      spec: { image: 7 },
    };
    await waitFor(
      async () =>
        (await client.request({ method: 'POST', path: `${runs.collection}?dryRun=All`, body })).statusCode >= 400,
      { what: 'the schema to be back' },
    );
  }

  /** What the status says, or the event where the API server takes no status of such a run. */
  async function said(name: string): Promise<string> {
    const status = (await cluster.client.get(runs.path(name)))['status'] as
      Parameters<typeof runCondition>[0] | undefined;
    const condition = status === undefined ? undefined : runCondition(status, 'Succeeded');
    if (condition !== undefined) return `${status?.phase ?? ''} ${condition.reason} ${condition.message}`;
    const prefix = /^(\w+): the API server takes no status until the spec is put right: (.*)$/;
    const [, reason, message] = (await runs.events(name)).flatMap((line) => prefix.exec(line) ?? []);
    return `Pending ${reason ?? ''} ${message ?? ''}`;
  }

  it('say what is missing, let sound ones be, and go without a spec when they are deleted', async () => {
    const { client } = cluster;
    await runs.start('sound');
    await runs.reach('sound', 'Pending');
    for (const [name, { says }] of Object.entries(MALFORMED)) {
      await eventually(async () => {
        expect(await said(name)).toBe(`Pending ${says}`);
      });
    }
    const gone = ['null', 'absent', 'sound'];
    for (const name of gone) await client.delete(runs.path(name));
    for (const name of gone) await runs.gone(name, 30_000);
    expect((await fetchPage(`${controller.healthUrl}/healthz`)).status).toBe(200);
  });

  it('say so where the API server does not let them go, and go once its rule is out of the way', async () => {
    const { client } = cluster;
    const stuck = ['env-map', 'image-number'];
    for (const name of stuck) await client.delete(runs.path(name));
    await eventually(async () => {
      expect(await runs.events('env-map')).toContainEqual(
        expect.stringMatching(
          /^FinalizerNotRemoved: cannot be let go, because its spec was stored past the schema: 422 /,
        ),
      );
    });
    const crd = structuredClone(agentRunCrd()) as unknown as KubeManifest;
    const [version] = crd['spec'].versions as { schema: { openAPIV3Schema: { properties: { spec: object } } } }[];
    if (version === undefined) throw new Error('the CRD has no version');
    version.schema.openAPIV3Schema.properties.spec = {
      ...version.schema.openAPIV3Schema.properties.spec,
      'x-kubernetes-validations': [],
    };
    await client.apply(crd, { force: true });
    for (const name of stuck) await runs.gone(name);
  });
});
