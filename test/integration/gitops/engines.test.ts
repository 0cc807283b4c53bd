import { App } from 'cdk8s';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installFiles } from '../../../charts/install/install-files.js';
import { SYSTEM_NAMESPACE } from '../../../charts/install/names.js';
import { createNamespace, describeOnBed, serviceAccountToken } from '../../cluster/bed.js';
import { COMPILE_TIMEOUT_MS, ensureBinaries, GITOPS_ENGINES } from '../../cluster/binaries.js';
import { type KubeClient, pathOf } from '../../cluster/client.js';
import { startArgoCd } from '../../cluster/engines/argocd.js';
import type { GitOpsEngine, Tree } from '../../cluster/engines/engine.js';
import { startFlux } from '../../cluster/engines/flux.js';
import { setPodState } from '../../cluster/pods.js';
import { waitFor } from '../../cluster/wait.js';
import {
  AgentsOnBed,
  conditionOf,
  controllerReady,
  describeObject,
  type AgentStatus,
} from '../../support/agents-on-bed.js';
import { installObjects } from '../../support/install-set.js';
import { CLAIM } from '../../support/resolved-agent.js';
import { fiveAgents } from './agents.js';
import { FleetInGit } from './fleet-in-git.js';
import { testLaidOutFleet } from './laid-out-fleet.js';
import { fieldOf, LIVE_FIELDS, type LiveField } from './live-fields.js';
import { startGitOpsBed, type GitOpsBed } from './gitops-bed.js';

const ENGINES = [
  { title: 'Flux', start: startFlux },
  { title: 'Argo CD', start: startArgoCd },
];
const NAMES = ['ada', 'bea', 'cleo', 'dora', 'eve'];
/** The engines may wait at once; the tests of one come after each other. */
const SEQUENTIAL = { concurrent: false, timeout: 300_000 };

describeOnBed('GitOps', () => {
  let bed: GitOpsBed;
  const scenes = new Map<string, { readonly engine: GitOpsEngine; readonly fleet: FleetInGit }>();

  beforeAll(() => ensureBinaries(GITOPS_ENGINES), COMPILE_TIMEOUT_MS);
  beforeAll(async () => {
    bed = await startGitOpsBed();
    await controllerReady(bed.controller);
    await Promise.all(
      ENGINES.map(async ({ title, start }) => {
        const engine = await start(bed.cluster);
        const namespace = await createNamespace(bed.client, title.toLowerCase().replace(' ', '-'));
        scenes.set(title, { engine, fleet: new FleetInGit(bed.client, namespace, await engine.deliver(namespace)) });
      }),
    );
  });
  afterAll(async () => {
    for (const { engine } of scenes.values()) await engine.stop();
    await bed.stop();
  });

  // Most of the time is spent waiting for intervals.
  describe.concurrent.each(ENGINES)('what init lays out, with $title', ({ title }) => {
    testLaidOutFleet(() => {
      const { engine, fleet } = sceneOf(title);
      return { bed, engine, namespace: `one-${fleet.namespace}` };
    });
  });

  describe.concurrent.each(ENGINES)('with $title', ({ title }) => {
    let client: KubeClient;
    let fleet: FleetInGit;

    const inFleet = async (names: readonly string[], phase: string): Promise<void> => {
      await Promise.all(names.map((name) => fleet.reach(name, phase)));
    };

    beforeAll(() => {
      ({ client } = bed);
      ({ fleet } = sceneOf(title));
    });

    it('is healthy when every agent is Ready, and names the one that is stuck', SEQUENTIAL, async () => {
      await fleet.commit(fiveAgents(fleet.namespace));
      await fleet.delivery.synced();
      await inFleet(['ada', 'bea', 'cleo', 'dora'], 'Ready');
      const { conditions = [] } = await fleet.reach('eve', 'Degraded');
      expect(conditions).toContainEqual(
        expect.objectContaining({ type: 'Stalled', status: 'True', reason: 'InvalidImageName' }),
      );
      const { isHealthy } = await waitFor(
        async () => {
          const status = await fleet.delivery.status();
          return named(status.message).join() === 'eve' && status;
        },
        { what: 'the engine to name the agent, and no other' },
      );
      expect(isHealthy).toBe(false);

      const [pod = ''] = await fleet.pods('eve');
      await setPodState(client, { namespace: fleet.namespace, name: pod }, 'ready');
      await serveIngress(client, fleet.namespace);
      await fleet.delivery.healthy();
      await inFleet(NAMES, 'Ready');
    });

    it('keeps the digest of every spec', SEQUENTIAL, async () => {
      for (const name of NAMES) {
        expect(conditionOf(await fleet.status(name), 'ManifestsCurrent')).toMatchObject({
          status: 'True',
          reason: 'SpecDigestMatches',
        });
      }
    });

    it('takes nothing that the cluster writes for a difference', SEQUENTIAL, async () => {
      const { namespace } = fleet;
      await bed.kubectl(['rollout', 'restart', 'deployment/hermes-bea', `--namespace=${namespace}`]);
      const inGit = fleet.objects();
      const found = async (field: LiveField): Promise<string> => {
        const rendered = inGit.find(({ kind, metadata }) => kind === field.kind && metadata.name === field.name);
        if (rendered === undefined) return 'not rendered';
        const live = fieldOf(await client.get(pathOf(rendered)), field.field);
        return `${live === undefined ? 'missing' : 'live'}, ${fieldOf(rendered, field.field) === undefined ? 'not in Git' : 'in Git'}`;
      };
      const states = await Promise.all(
        LIVE_FIELDS.map(async (each) => [`${each.kind} ${each.field}`, await found(each)]),
      );
      expect(Object.fromEntries(states)).toEqual(
        Object.fromEntries(LIVE_FIELDS.map(({ kind, field }) => [`${kind} ${field}`, 'live, not in Git'])),
      );
      await fleet.reach('bea', 'Ready');
      await fleet.delivery.passes(2);
      await fleet.delivery.healthy();
      const comparison = await fleet.delivery.comparison();
      expect([...comparison.keys()].sort()).toEqual(inGit.map(describeObject).sort());
      expect([...comparison].filter(([, isEqual]) => !isEqual)).toEqual([]);
    });

    it('restarts an agent once for a change, and never calls its manifests stale meanwhile', SEQUENTIAL, async () => {
      const [former = ''] = await fleet.pods('dora');
      const seen = new Set<string | undefined>();
      const watching = watch(
        async () => await fleet.status('dora'),
        (status) => {
          seen.add(conditionOf(status, 'ManifestsCurrent')?.status);
        },
      );
      await fleet.commit({ dora: { ...fiveAgents(fleet.namespace)['dora'], env: [{ name: 'STEP', value: '2' }] } });
      await fleet.delivery.healthy();
      await fleet.nextPod('dora', [former]);
      await fleet.reach('dora', 'Ready');
      await watching.stop();
      expect(await fleet.revision('dora')).toBe(2);
      expect([...seen].filter((status) => status === 'False')).toEqual([]);
      expect(seen).toContain('True');
    });

    it('leaves a restart alone, by kubectl and by the agent itself', SEQUENTIAL, async () => {
      const { namespace } = fleet;
      const former = { ada: await fleet.pods('ada'), cleo: await fleet.pods('cleo') };
      await bed.kubectl(['rollout', 'restart', 'deployment/hermes-ada', `--namespace=${namespace}`]);
      const self = client.as(await serviceAccountToken(client, namespace, 'hermes-cleo'));
      const annotations = { 'kubectl.kubernetes.io/restartedAt': '2026-01-01T00:00:00Z' };
      await self.mergePatch(fleet.childPath('Deployment', 'hermes-cleo'), {
        spec: { template: { metadata: { annotations } } },
      });
      self.close();
      const restarted = {
        ada: await fleet.nextPod('ada', former.ada),
        cleo: await fleet.nextPod('cleo', former.cleo),
      };
      await fleet.delivery.passes(3);
      await fleet.delivery.healthy();
      for (const name of ['ada', 'cleo'] as const) {
        expect(await fleet.pods(name)).toEqual([restarted[name]]);
        expect(await fleet.revision(name)).toBe(2);
      }
    });

    it('reverts replicas that somebody sets, and the status says what is', SEQUENTIAL, async () => {
      const deployment = fleet.childPath('Deployment', 'hermes-ada');
      const { resourceVersion, generation = 0 } = (await client.get(deployment)).metadata;
      expect(resourceVersion).toBeDefined();
      await bed.kubectl(['scale', 'deployment/hermes-ada', '--replicas=2', `--namespace=${fleet.namespace}`]);
      await waitFor(
        async () => {
          const { metadata, spec } = await client.get(deployment);
          return (metadata.generation ?? 0) > generation + 1 && spec.replicas === 1;
        },
        { what: 'one replica again' },
      );
      await fleet.reach('ada', 'Ready');
      await fleet.delivery.healthy();
    });

    it('reverts what somebody edits in a rendered object', SEQUENTIAL, async () => {
      const [former = ''] = await fleet.pods('ada');
      const deployment = fleet.childPath('Deployment', 'hermes-ada');
      const { generation = 0 } = (await client.get(deployment)).metadata;
      const edit = ['edit', `--namespace=${fleet.namespace}`];
      await bed.kubectl([...edit, 'deployment/hermes-ada'], 'sed -i s#hermes:v1#hermes:v9#');
      await bed.kubectl([...edit, 'service/hermes-ada'], 'sed -i s#targetPort:.*#targetPort:\\ 9999#');
      await waitFor(
        async () => {
          const { metadata, spec } = await client.get(deployment);
          const { targetPort } = (await client.get(fleet.childPath('Service', 'hermes-ada')))['spec'].ports[0];
          const { image } = spec.template.spec.containers[0];
          const isReverted = image === 'registry.example.net/hermes:v1' && targetPort === 8080;
          return (metadata.generation ?? 0) > generation + 1 && isReverted;
        },
        { what: 'image and port of before' },
      );
      await fleet.nextPod('ada', [former]);
      const status = await fleet.reach('ada', 'Ready');
      expect(status).toMatchObject({ observedImage: 'registry.example.net/hermes:v1' });
      await fleet.delivery.healthy();
    });

    it('suspends and resumes', SEQUENTIAL, async () => {
      const claim = await fleet.claim('bea');
      const { bea = {} } = fiveAgents(fleet.namespace);
      await fleet.commit({ bea: { ...bea, suspend: true } });
      await fleet.delivery.healthy();
      await fleet.reach('bea', 'Suspended');
      await waitFor(async () => (await fleet.pods('bea')).length === 0, { what: 'no pod of bea' });
      await fleet.commit({ bea });
      await fleet.reach('bea', 'Ready');
      await fleet.delivery.healthy();
      expect(await fleet.claim('bea')).toBe(claim);
    });

    it('does not wait for the volume of a suspended agent whose class waits for its pod', SEQUENTIAL, async () => {
      const claim = { ...CLAIM, storageClassName: 'waits-for-pod' };
      const fay = { storage: { persistentVolumeClaim: claim, retainPolicy: 'Delete' } };
      const volume = async (): Promise<unknown> =>
        (await client.get(fleet.childPath('PersistentVolumeClaim', 'hermes-fay-data')))['status'].phase;
      await fleet.commit({ fay: { ...fay, suspend: true } });
      await fleet.reach('fay', 'Suspended');
      await fleet.delivery.healthy();
      expect(await volume()).toBe('Pending');
      await fleet.commit({ fay });
      await fleet.reach('fay', 'Ready');
      await fleet.delivery.healthy();
      expect(await volume()).toBe('Bound');
    });

    it('replaces a binding whose role is another now', SEQUENTIAL, async () => {
      const { namespace } = fleet;
      const bindings = async (): Promise<readonly unknown[]> => {
        const path = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`;
        const all = await client.list(path, 'hermes-gitops.dev/agent=ada');
        return all.filter(({ metadata }) => metadata.name !== 'hermes-ada-self').map(({ roleRef }) => roleRef);
      };
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'edit' };
      expect(await bindings()).toEqual([{ ...roleRef, name: 'view' }]);
      // When each state was seen first: phase, and what RBACSynced says.
      const seen = new Map<string, number>();
      const watching = watch(
        async () => await fleet.status('ada'),
        (status) => {
          const { status: synced = '', reason = '' } = conditionOf(status, 'RBACSynced') ?? {};
          const state = `${status.phase ?? ''} ${synced} ${reason}`;
          if (!seen.has(state)) seen.set(state, Date.now());
        },
      );
      await fleet.commit({ ada: { rbac: { roleBindings: [{ namespace, roleRef }] } } });
      await fleet.delivery.healthy();
      await waitFor(async () => (await bindings()).length === 1, { what: 'the old binding to go' });
      await fleet.reach('ada', 'Ready');
      await watching.stop();
      expect(await bindings()).toEqual([roleRef]);
      expect(conditionOf(await fleet.status('ada'), 'RBACSynced')?.status).toBe('True');
      // Argo CD deletes before it applies. Only where it needs longer than the ten seconds that it has may this show.
      const degraded = [...seen].filter(([state]) => state.startsWith('Degraded'));
      const goneAt = seen.get('Ready Unknown BindingMissing') ?? Infinity;
      expect(degraded.filter(([, at]) => at - goneAt < 9000)).toEqual([]);
    });

    it('moves an agent to another namespace', SEQUENTIAL, async () => {
      const other = new AgentsOnBed(client, await createNamespace(client, 'moved'));
      await fleet.commit({ eve: undefined }, { [other.namespace]: { eve: {} } });
      await fleet.gone('eve');
      await other.reach('eve', 'Ready');
      await fleet.delivery.healthy();
      const kept = [`PersistentVolumeClaim ${fleet.namespace}/hermes-eve-data`];
      await waitFor(async () => (await fleet.labelled('eve')).length === 1, { what: 'the children to go' });
      expect(await fleet.labelled('eve')).toEqual(kept);
    });

    it('brings back an agent that somebody deletes, once, on its volume', SEQUENTIAL, async () => {
      const claim = await fleet.claim('ada');
      const { uid: former } = (await client.get(fleet.path('ada'))).metadata;
      await bed.kubectl(['delete', 'hermesagent', 'ada', `--namespace=${fleet.namespace}`, '--timeout=60s']);
      const { uid } = await waitFor(async () => {
        const { metadata } = await client.get(fleet.path('ada'));
        return metadata.uid !== former && metadata;
      });
      await fleet.reach('ada', 'Ready');
      await fleet.delivery.passes(3);
      await fleet.delivery.healthy();
      expect((await client.get(fleet.path('ada'))).metadata.uid).toBe(uid);
      expect(await fleet.claim('ada')).toBe(claim);
    });

    it('removes an agent that is not in Git any more, but the volume that is to be kept', SEQUENTIAL, async () => {
      const kept = await fleet.claim('dora');
      expect(await fleet.claim('cleo')).toBeDefined();
      await fleet.commit({ cleo: undefined, dora: undefined });
      await fleet.gone('cleo');
      await fleet.gone('dora');
      await fleet.delivery.healthy();
      const left = async (): Promise<readonly string[]> => [
        ...(await fleet.labelled('cleo')),
        ...(await fleet.labelled('dora')),
      ];
      await waitFor(async () => (await left()).length <= 1, { what: 'the children to go' });
      expect(await left()).toEqual([`PersistentVolumeClaim ${fleet.namespace}/hermes-dora-data`]);
      expect(await fleet.claim('dora')).toBe(kept);
      expect(await fleet.series(bed.controller)).toContainEqual(expect.stringContaining('name="ada"'));
      expect((await fleet.series(bed.controller)).filter((line) => /name="(cleo|dora)"/.test(line))).toEqual([]);
    });

    it('takes away what an agent does not ask for any more', SEQUENTIAL, async () => {
      const dashboard = ['Service', 'Ingress'].map((kind) => `${kind} ${fleet.namespace}/hermes-bea-dashboard`);
      const policy = `NetworkPolicy ${fleet.namespace}/hermes-bea`;
      const rest = `Service ${fleet.namespace}/hermes-bea`;
      const left = async (): Promise<readonly string[]> => {
        const labelled = await fleet.labelled('bea');
        return [...dashboard, policy, rest].filter((each) => labelled.includes(each));
      };
      expect(await left()).toEqual([...dashboard, policy, rest]);
      await fleet.commit({ bea: { ...fiveAgents(fleet.namespace)['bea'], dashboard: { enabled: false } } });
      await fleet.delivery.healthy();
      const { conditions = [] } = await fleet.reach('bea', 'Ready');
      expect(conditions.map(({ type }) => type)).not.toContain('GatewaysReady');
      expect(await left()).toEqual([policy, rest]);
      await fleet.commit({ bea: {} });
      await fleet.delivery.healthy();
      await fleet.reach('bea', 'Ready');
      expect(await left()).toEqual([rest]);
    });

    it('comes to rest: nothing that is rendered moves in ten intervals', SEQUENTIAL, async () => {
      await fleet.delivery.healthy();
      // The process of the test stands for the Deployment.
      const installed = [...installObjects().values()].filter(({ kind }) => kind !== 'Deployment');
      const objects = [...fleet.objects(), ...installed];
      const before = await fleet.versions(objects);
      expect(Object.keys(before)).toHaveLength(objects.length);
      await fleet.delivery.passes(10);
      expect(await fleet.versions(objects)).toEqual(before);
      await fleet.delivery.healthy();
    });
  });

  describe('and the controller', () => {
    it.each(ENGINES)('is not needed for syncing with $title, and catches up', async ({ title }) => {
      const { fleet } = sceneOf(title);
      const [former = ''] = await fleet.pods('ada');
      await bed.killController();
      await fleet.commit({ ada: { env: [{ name: 'STEP', value: '3' }] }, gus: {} });
      await fleet.delivery.synced();
      await fleet.nextPod('ada', [former]);
      await fleet.nextPod('gus', []);
      expect((await fleet.status('gus')).phase).toBeUndefined();
      await bed.startController();
      for (const name of ['ada', 'gus']) {
        const status = await fleet.reach(name, 'Ready');
        expect(conditionOf(status, 'ManifestsCurrent')).toMatchObject({ status: 'True', reason: 'SpecDigestMatches' });
      }
      await fleet.delivery.healthy();
    });

    // The last tests: they take the install set away.
    it.each(ENGINES)('leaves kinds, agents and volumes when $title removes the install set', async ({ title }) => {
      const { engine, fleet } = sceneOf(title);
      await bed.killController();
      const delivery = await engine.deliver(`install-${fleet.namespace}`);
      const path = '/apis/apps/v1/namespaces/hermes-gitops-system/deployments/hermes-gitops-controller';
      await delivery.publish(installTree(title));
      await delivery.healthy();
      expect(await bed.client.find(path)).toBeDefined();
      const before = await uids(bed.client);
      expect(Object.keys(before)).toEqual(expect.arrayContaining([`HermesAgent ${fleet.namespace}/ada`, KIND]));

      await delivery.publish(new Map([['settings.yaml', SETTINGS]]));
      await delivery.healthy();
      await waitFor(async () => (await bed.client.find(path)) === undefined, { what: 'the controller to go' });
      expect(await uids(bed.client)).toEqual(before);
    });
  });

  function sceneOf(title: string): { readonly engine: GitOpsEngine; readonly fleet: FleetInGit } {
    const scene = scenes.get(title);
    if (scene === undefined) throw new Error(`${title} did not start`);
    return scene;
  }
});

const KIND = 'CustomResourceDefinition hermesagents.hermes-gitops.dev';
const SETTINGS = JSON.stringify({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'left-in-git', namespace: 'default' },
});

/** The install set as a folder of Git, with the component for the engine. */
function installTree(title: string): Tree {
  const files = new Map<string, string>(installFiles(new App()));
  const components = title === 'Flux' ? ['components/flux'] : [];
  return files.set('kustomization.yaml', JSON.stringify({ resources: ['base'], components }));
}

/** uid of every kind of ours, agent, claim and agent's Deployment of the cluster that is not being deleted. */
async function uids(client: KubeClient): Promise<Readonly<Record<string, string | undefined>>> {
  const collections = [
    ['CustomResourceDefinition', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'],
    ['HermesAgent', '/apis/hermes-gitops.dev/v1alpha1/hermesagents'],
    ['PersistentVolumeClaim', '/api/v1/persistentvolumeclaims'],
    ['Deployment', '/apis/apps/v1/deployments'],
  ] as const;
  const objects = await Promise.all(
    collections.map(async ([kind, path]) => (await client.list(path)).map((object) => ({ ...object, kind }))),
  );
  const kept = objects
    .flat()
    .filter(({ metadata }) => metadata.namespace !== SYSTEM_NAMESPACE && metadata.deletionTimestamp === undefined);
  return Object.fromEntries(kept.map((object) => [describeObject(object), object.metadata.uid]));
}

/** Gives the Ingress of the dashboard an address, as an ingress controller does; Argo CD waits for one. */
async function serveIngress(client: KubeClient, namespace: string): Promise<void> {
  const path = `/apis/networking.k8s.io/v1/namespaces/${namespace}/ingresses/hermes-bea-dashboard/status`;
  await client.mergePatch(path, { status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } });
}

/** Names of the agents that an engine complains about. */
function named(message: string): readonly string[] {
  return [...message.matchAll(/HermesAgent[/ ](?:\S+\/)?(\w+)/g)].map(([, name = '']) => name).sort();
}

/** Hands over what it reads, again and again, until it is stopped. */
function watch(
  read: () => Promise<AgentStatus>,
  see: (status: AgentStatus) => void,
): { readonly stop: () => Promise<void> } {
  let isRunning = true;
  const loop = async (): Promise<void> => {
    while (isRunning) {
      see(await read());
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const done = loop();
  return {
    stop: async () => {
      isRunning = false;
      await done;
    },
  };
}
