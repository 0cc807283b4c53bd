import { renderAgent } from '../../lib/children/render-agent.js';
import { validateAgent } from '../../lib/validation/validate-agent.js';
import { pathOf, type KubeClient, type KubeManifest } from '../cluster/client.js';
import { startCluster, type Cluster } from '../cluster/cluster.js';
import { installCrds } from '../cluster/install-crds.js';
import { provisionVolume } from '../cluster/volumes.js';
import { waitFor } from '../cluster/wait.js';
import { auditEnd, lastStatusWrite, statusWrites } from './audit.js';
import { CONTROLLER, residentMegabytes, startBundle } from './bundled-controller.js';
import { agentIdentity, agentManifest } from './fleet.js';
import { inParallel } from './parallel.js';
import { benchRest } from './rest.js';
import { seconds, timed } from './timing.js';

const AGENTS = '/apis/hermes-gitops.dev/v1alpha1/hermesagents';
const GATES = { allowedClusterRoles: [], allowedBindingNamespaces: [] };

/** So many Kustomizations are what Flux reconciles at one time, each object by object. */
const APPLIERS = 4;

type Say = (line: string) => void;

/** The controller with a fleet of this size, from the first apply to a storm. */
export async function benchController(agents: number, say: Say): Promise<void> {
  const cluster = await startCluster({ report: say });
  try {
    await installCrds(cluster.client);
    say(`controller: ${agents} agents`);
    await benchFleet(cluster, agents, say);
  } finally {
    await cluster.stop();
  }
}

async function benchFleet(cluster: Cluster, agents: number, say: Say): Promise<void> {
  const { client } = cluster;
  const manifests = Array.from({ length: agents }, (_, index) => render(index));
  const namespaces = new Set(Array.from({ length: agents }, (_, index) => agentIdentity(index).namespace));
  await inParallel([...namespaces], async (name) => {
    await client.create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  });
  // A slow provisioner would be measured otherwise: an agent whose volume is not there says so, in a write of its own.
  await inParallel(manifests.flat(), async (object) => {
    if (object.kind === 'PersistentVolumeClaim') await provisionVolume(client, object);
  });
  await startBundle(cluster);
  const applied = await timed(() =>
    inParallel(
      manifests,
      async (objects) => {
        for (const object of objects) await client.apply(object, { force: true });
      },
      APPLIERS,
    ),
  );
  const settled = await timed(() => untilReady(client, agents));
  say(`  applied in ${seconds(applied)}, all Ready ${seconds(settled)} later`);
  const most = Math.max(...(await statusWrites(cluster.auditLog)).values());
  const total = await totalWrites(cluster);
  say(`  status writes from creation to Ready: ${(total / agents).toFixed(2)} an agent, at most ${most}`);

  await cluster.kill(CONTROLLER, 'SIGTERM');
  const restarted = await timed(async () => {
    const { metrics } = await startBundle(cluster);
    await waitFor(async () => (await phaseSeries(metrics)) === agents, { timeoutMs: 120_000, everyMs: 20 });
  });
  const extra = (await totalWrites(cluster)) - total;
  say(`  restart: all ${agents} in /metrics after ${seconds(restarted)}, with ${extra} status writes`);
  say(`  resident: ${await residentMegabytes(cluster)} MB`);
  await benchRest(cluster, say);
  await benchStorm(cluster, agents, say);
}

/** Every pod turns NotReady while the controller is held, so that its own time is measured and not the harness's. */
async function benchStorm(cluster: Cluster, agents: number, say: Say): Promise<void> {
  const { client } = cluster;
  const bare = await timed(() => barePatches(client, agents, 1));
  const whole = await timed(() => barePatches(client, agents, CONDITIONS_OF_AGENT));
  await barePatches(client, agents, 0);
  await cluster.kill(CONTROLLER, 'SIGSTOP');
  const pods = await client.list('/api/v1/pods');
  await inParallel(pods, async (pod) => {
    await client.mergePatch(pathOf({ ...pod, apiVersion: 'v1', kind: 'Pod' }), {
      metadata: { annotations: { 'bed.hermes-gitops.dev/state': 'not-ready' } },
    });
  });
  await waitFor(
    async () => {
      const deployments = await client.list('/apis/apps/v1/deployments');
      return deployments.every(({ status }) => ((status as { readyReplicas?: number }).readyReplicas ?? 0) === 0);
    },
    { timeoutMs: 300_000, everyMs: 500 },
  );
  const before = await totalWrites(cluster);
  const quietUntil = await auditEnd(cluster.auditLog);
  const startedAt = Date.now();
  await cluster.kill(CONTROLLER, 'SIGCONT');
  // By the log until each has been written: to list them all costs the API server as much as some dozens of writes.
  const isWritten = async (): Promise<boolean> =>
    (await statusWrites(cluster.auditLog, 'hermesagents', quietUntil)).size === agents;
  await waitFor(isWritten, { timeoutMs: 300_000, everyMs: 200 });
  await waitFor(async () => (await phases(client)).every((phase) => phase === 'Degraded'), { timeoutMs: 60_000 });
  const storm = (await lastStatusWrite(cluster.auditLog)) - startedAt;
  const of = (base: number): string => `${(storm / base).toFixed(2)} of ${agents} bare patches`;
  say(
    `  all pods NotReady: statuses right after ${seconds(storm)}, ` +
      `${of(bare)} of one condition (${seconds(bare)}), ` +
      `${of(whole)} as large as a status (${seconds(whole)})`,
  );
  const writes = (await totalWrites(cluster)) - before;
  say(`  status writes for that: ${(writes / agents).toFixed(2)} an agent`);
  say(`  resident after the storm: ${await residentMegabytes(cluster)} MB`);
}

async function totalWrites({ auditLog }: Cluster): Promise<number> {
  const writes = await statusWrites(auditLog);
  return [...writes.values()].reduce((sum, count) => sum + count, 0);
}

/** As many status patches as the storm needs, straight from here: what the API server takes at most. */
async function barePatches(client: KubeClient, agents: number, conditions: number): Promise<void> {
  const status = {
    conditions: Array.from({ length: conditions }, (_, index) => ({
      ...BARE_CONDITION,
      type: `bench.example.org/Patched-${index}`,
    })),
  };
  await inParallel(
    Array.from({ length: agents }, (_, index) => agentIdentity(index)),
    async ({ name, namespace }) => {
      const manifest = {
        apiVersion: 'hermes-gitops.dev/v1alpha1',
        kind: 'HermesAgent',
        metadata: { name, namespace },
        status: conditions === 0 ? {} : status,
      };
      await client.apply(manifest, { fieldManager: 'bench', subresource: 'status', force: true });
    },
  );
}

/** Of an agent without dashboard and with bindings of its own. */
const CONDITIONS_OF_AGENT = 6;

const BARE_CONDITION = {
  status: 'True',
  reason: 'Patched',
  message: 'as long as the messages that the controller writes for a pod which is not ready',
  lastTransitionTime: '2026-01-01T00:00:00Z',
};

function render(index: number): readonly KubeManifest[] {
  const { agent, problems } = validateAgent(agentManifest(index), GATES);
  if (agent === undefined) throw new Error(JSON.stringify(problems));
  return renderAgent(agent) as unknown as readonly KubeManifest[];
}

async function phaseSeries(url: string): Promise<number> {
  const page = await (await fetch(url)).text();
  return page.split('\n').filter((line) => line.startsWith('hermes_agent_phase{') && line.endsWith(' 1')).length;
}

async function untilReady(client: KubeClient, agents: number): Promise<void> {
  await waitFor(
    async () => {
      const found = await phases(client);
      return found.length === agents && found.every((phase) => phase === 'Ready');
    },
    { timeoutMs: 600_000, everyMs: 250, what: 'every agent to be Ready' },
  );
}

async function phases(client: KubeClient): Promise<readonly string[]> {
  const agents = await client.list(AGENTS);
  return agents.map(({ status }) => (status as { phase?: string }).phase ?? '');
}
