import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createNamespace, describeOnBed, serviceAccountToken } from '../../cluster/bed.js';
import { COMPILE_TIMEOUT_MS, ensureBinaries, GITOPS_ENGINES } from '../../cluster/binaries.js';
import type { KubeClient } from '../../cluster/client.js';
import { startArgoCd } from '../../cluster/engines/argocd.js';
import type { GitOpsEngine } from '../../cluster/engines/engine.js';
import { startFlux } from '../../cluster/engines/flux.js';
import { setPodState } from '../../cluster/pods.js';
import { waitFor } from '../../cluster/wait.js';
import { conditionOf, controllerReady, type AgentStatus } from '../../support/agents-on-bed.js';
import { installObjects } from '../../support/install-set.js';
import { fiveAgents } from './agents.js';
import { FleetInGit } from './fleet-in-git.js';
import { startGitOpsBed, type GitOpsBed } from './gitops-bed.js';

const ENGINES = [
  { title: 'Flux', start: startFlux },
  { title: 'Argo CD', start: startArgoCd },
];
const NAMES = ['ada', 'bea', 'cleo', 'dora', 'eve'];
/** The engines may wait at once; the tests of one come after each other. */
const SEQUENTIAL = { concurrent: false };

describeOnBed('GitOps', () => {
  let bed: GitOpsBed;

  beforeAll(() => ensureBinaries(GITOPS_ENGINES), COMPILE_TIMEOUT_MS);
  beforeAll(async () => {
    bed = await startGitOpsBed();
    await controllerReady(bed.controller);
  });
  afterAll(() => bed.stop());

  // Most of the time is spent waiting for intervals.
  describe.concurrent.each(ENGINES)('with $title', ({ title, start }) => {
    let client: KubeClient;
    let engine: GitOpsEngine;
    let fleet: FleetInGit;

    const inFleet = async (names: readonly string[], phase: string): Promise<void> => {
      await Promise.all(names.map((name) => fleet.reach(name, phase)));
    };

    beforeAll(async () => {
      ({ client } = bed);
      engine = await start(bed.cluster);
      const namespace = await createNamespace(client, title.toLowerCase().replace(' ', '-'));
      fleet = new FleetInGit(client, namespace, await engine.deliver(namespace));
    });
    afterAll(() => engine.stop());

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

    it('brings back an agent that somebody deletes, once, on its volume', SEQUENTIAL, async () => {
      const claim = await fleet.claim('ada');
      const { uid: former } = (await client.get(fleet.path('ada'))).metadata;
      await bed.kubectl(['delete', 'hermesagent', 'ada', `--namespace=${fleet.namespace}`, '--timeout=60s']);
      const { uid } = await waitFor(async () => {
        const { metadata } = await client.get(fleet.path('ada'));
        return metadata.uid !== former && metadata;
      });
      await fleet.reach('ada', 'Ready', 60_000);
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
      const extras = ['Service', 'Ingress'].map((kind) => `${kind} ${fleet.namespace}/hermes-bea-dashboard`);
      extras.push(`NetworkPolicy ${fleet.namespace}/hermes-bea`);
      const before = await fleet.labelled('bea');
      expect(before).toEqual(expect.arrayContaining(extras));
      await fleet.commit({ bea: {} });
      await fleet.delivery.healthy();
      await fleet.reach('bea', 'Ready');
      const after = await fleet.labelled('bea');
      expect(extras.filter((extra) => after.includes(extra))).toEqual([]);
      expect(after).toContain(`Service ${fleet.namespace}/hermes-bea`);
    });

    it('comes to rest: nothing that is rendered moves in ten intervals', SEQUENTIAL, async () => {
      await fleet.delivery.healthy();
      const objects = [...fleet.objects(), ...installObjects().values()];
      const before = await fleet.versions(objects);
      expect(Object.keys(before)).toHaveLength(objects.length);
      await fleet.delivery.passes(10);
      expect(await fleet.versions(objects)).toEqual(before);
      expect((await fleet.delivery.status()).isHealthy).toBe(true);
    });
  });
});

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
