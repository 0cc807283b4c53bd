import { afterAll, beforeAll, expect, it } from 'vitest';
import { hermesAgentCrd } from '../../../lib/api/crd.js';
import { FINALIZER } from '../../../lib/api/identity.js';
import { describeOnBed, createNamespace } from '../../cluster/bed.js';
import type { KubeManifest } from '../../cluster/client.js';
import { startCluster, type Cluster } from '../../cluster/cluster.js';
import { installCrds } from '../../cluster/install-crds.js';
import { eventually, waitFor } from '../../cluster/wait.js';
import { AgentsOnBed, bareAgent, conditionOf, controllerReady } from '../../support/agents-on-bed.js';
import { hostController, type ControllerHost } from '../../support/controller-host.js';
import { fetchPage, type ControllerProcess } from '../../support/controller-process.js';

const SOUND = 20;
const GATEWAYS = Array.from({ length: 500 }, (_, index) => ({ type: `g${index}` }));

/** Specs that no schema of ours lets through. */
const MALFORMED: Readonly<Record<string, unknown>> = {
  null: null,
  absent: undefined,
  'gateways-map': { ...(bareAgent('x', 'x')['spec'] as object), gateways: { discord: {} } },
  'many-gateways': { ...(bareAgent('x', 'x')['spec'] as object), gateways: GATEWAYS },
  text: {
    ...(bareAgent('x', 'x')['spec'] as object),
    image: 7,
    env: 'A=1',
    rbac: { roleBindings: 'all', clusterRoleBindings: [null, 1] },
  },
};

/** One that the rules of the stored schema refuse whatever is changed in it, its status included. */
const UNWRITABLE = 'unwritable';
const STORED: Readonly<Record<string, unknown>> = { ...MALFORMED, [UNWRITABLE]: { image: 'x:v1', storage: 'none' } };

describeOnBed('agents that were stored past the schema', () => {
  let cluster: Cluster;
  let agents: AgentsOnBed;
  let host: ControllerHost;
  let controller: ControllerProcess;

  beforeAll(async () => {
    cluster = await startCluster({ apiServerOnly: true });
    agents = new AgentsOnBed(cluster.client, await createNamespace(cluster.client, 'malformed'));
    host = await hostController(cluster);
  });
  afterAll(() => cluster.stop());
  afterAll(() => host.stop());

  /** Our CRD with a schema that allows everything; only the default of the status stays. */
  function permissiveCrd(): KubeManifest {
    const crd = structuredClone(hermesAgentCrd()) as unknown as KubeManifest;
    const [version] = crd['spec'].versions as { schema: { openAPIV3Schema: object } }[];
    const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    if (version === undefined) throw new Error('the CRD has no version');
    version.schema.openAPIV3Schema = {
      ...anything,
      properties: { status: { ...anything, default: { observedGeneration: -1 } } },
    };
    return crd;
  }

  async function store(): Promise<void> {
    const { client } = cluster;
    await client.apply(permissiveCrd(), { force: true });
    for (const [name, spec] of Object.entries(STORED)) {
      const { apiVersion, kind, metadata } = bareAgent(name, agents.namespace);
      // Held before it went bad.
      const agent = { apiVersion, kind, metadata: { ...metadata, finalizers: [FINALIZER] } };
      const body = spec === undefined ? agent : { ...agent, spec };
      // The new schema is in force a moment after the CRD was stored.
      await waitFor(
        async () => (await client.request({ method: 'POST', path: agents.path(), body })).statusCode === 201,
        {
          what: `${name} to be stored`,
        },
      );
    }
    await installCrds(client);
    const invalid = bareAgent('probe', agents.namespace, { gateways: {} });
    await waitFor(
      async () =>
        (await client.request({ method: 'POST', path: `${agents.path()}?dryRun=All`, body: invalid })).statusCode >=
        400,
      { what: 'the schema to be back' },
    );
  }

  it('are Degraded for their spec, and the others are as fine as ever', async () => {
    const { client } = cluster;
    await store();
    const stored = await client.list(agents.path());
    expect(stored.map(({ metadata }) => metadata.name).sort()).toEqual(Object.keys(STORED).sort());
    for (let index = 0; index < SOUND; index++) {
      await client.create(agents.path(), bareAgent(`sound-${index}`, agents.namespace, { suspend: true }));
    }
    controller = await host.start();
    await controllerReady(controller);
    for (let index = 0; index < SOUND; index++) await agents.reach(`sound-${index}`, 'Suspended');
    for (const name of Object.keys(MALFORMED)) {
      const status = await agents.reach(name, 'Degraded');
      expect(conditionOf(status, 'Ready'), name).toMatchObject({ status: 'False', reason: 'InvalidSpec' });
      expect(conditionOf(status, 'Stalled'), name).toMatchObject({ status: 'True', reason: 'InvalidSpec' });
    }

    await client.mergePatch(agents.path('sound-0'), { spec: { suspend: false } });
    await agents.reach('sound-0', 'Provisioning');
    expect((await agents.status(UNWRITABLE)).phase).toBeUndefined();
    const of = `name="${UNWRITABLE}",namespace="${agents.namespace}"`;
    expect(await agents.series(controller)).toEqual(
      expect.arrayContaining([
        `hermes_agent_phase{${of},phase="Degraded"} 1`,
        `hermes_agent_condition{${of},type="Ready",status="False",reason="InvalidSpec"} 1`,
      ]),
    );
    await eventually(async () => {
      const events = await client.list(`/apis/events.k8s.io/v1/namespaces/${agents.namespace}/events`);
      const told = events.filter((event) => (event['regarding'] as { name: string }).name === UNWRITABLE);
      expect(told.map((event) => `${event['type']} ${event['reason']}: ${event['note']}`)).toEqual([
        expect.stringMatching(
          /^Warning InvalidSpec: the API server takes no status until the spec is put right: spec\.storage/,
        ),
      ]);
    });

    const mended = bareAgent(UNWRITABLE, agents.namespace, { suspend: true });
    const { resourceVersion } = (await client.get(agents.path(UNWRITABLE))).metadata;
    await client.replace(agents.path(UNWRITABLE), { ...mended, metadata: { ...mended.metadata, resourceVersion } });
    await agents.reach(UNWRITABLE, 'Suspended', 90_000);
    for (const name of Object.keys(STORED)) await client.delete(agents.path(name));
    for (const name of Object.keys(STORED)) await agents.gone(name);
    expect((await fetchPage(`${controller.healthUrl}/healthz`)).status).toBe(200);
    const complaints = controller.log().filter(({ msg }) => msg === 'agent could not be updated');
    expect(complaints.map(({ agent }) => agent)).toEqual([`${agents.namespace}/${UNWRITABLE}`]);
  });
});
