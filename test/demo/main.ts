import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startCluster, type Cluster } from '../cluster/cluster.js';
import { provisionVolumes } from '../cluster/volumes.js';
import { applyAll, readManifests, removeAgent } from './apply.js';
import { startController, type RunningController } from './controller.js';
import { renderFleet } from './render.js';
import { isSettled, readAgents, StatusTable } from './table.js';

// `npm start`: the whole product on a real control plane, from the files of examples/ to the status of every agent.

const REPOSITORY = new URL('../../', import.meta.url).pathname;
const SETTLE_TIMEOUT_MS = 120_000;
/** The agent that is removed at the end, as an engine would after its file left Git. */
const REMOVED = { namespace: 'lab', name: 'mia' };

const { values: flags } = parseArgs({ options: { keep: { type: 'boolean', default: false } } });

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function main(interrupted: Promise<never>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-gitops-start-'));
  let cluster: Cluster | undefined;
  let stopProvisioning: (() => Promise<void>) | undefined;
  try {
    const rendered = join(folder, 'rendered');
    say('\n1. Render the agents of examples/\n');
    say(await renderFleet({ repository: REPOSITORY, inputs: 'examples', output: rendered }));
    say('\n2. Start a control plane: etcd, kube-apiserver, kube-controller-manager, kube-scheduler, KWOK\n');
    cluster = await Promise.race([startCluster({ report: say }), interrupted]);
    stopProvisioning = provisionVolumes(cluster.client);
    say(`   ${cluster.server}`);
    say('\n3. Apply the CRD, what the agents refer to, and what was rendered\n');
    await Promise.race([apply(cluster, rendered), interrupted]);
    say('\n4. Run the controller, and watch\n');
    const controller = await startController(cluster);
    await Promise.race([watch(cluster, controller, rendered), interrupted]);
    if (flags.keep) await Promise.race([keep(cluster), interrupted]);
  } finally {
    await stopProvisioning?.();
    await cluster?.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function apply(cluster: Cluster, rendered: string): Promise<void> {
  for (const source of [
    join(REPOSITORY, 'dist/install/base/crds'),
    join(REPOSITORY, 'examples/prerequisites'),
    rendered,
  ]) {
    const applied = await applyAll(cluster.client, await readManifests(source));
    say(`   ${source.replace(REPOSITORY, '')}: ${applied}`);
  }
}

async function watch(cluster: Cluster, controller: RunningController, rendered: string): Promise<void> {
  const table = new StatusTable(process.stdout);
  const deadline = Date.now() + SETTLE_TIMEOUT_MS;
  for (;;) {
    const agents = await readAgents(cluster.client);
    table.show(agents);
    if (agents.length > 0 && agents.every(isSettled)) break;
    if (Date.now() > deadline) throw new Error('the agents did not settle');
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  const { namespace, name } = REMOVED;
  say(`\n5. Remove ${namespace}/${name} and what was rendered for it, as an engine does when its file leaves Git\n`);
  const series = `name="${name}",namespace="${namespace}"`;
  say(`   /metrics has ${await controller.countSeries(series)} series of it`);
  await removeAgent(cluster.client, join(rendered, namespace, 'agents', `${name}.yaml`));
  while ((await controller.countSeries(series)) > 0 || (await hasAgent(cluster, REMOVED))) {
    if (Date.now() > deadline) throw new Error(`${name} did not go`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  say(`   now it has 0, and the status is\n`);
  new StatusTable(process.stdout).show(await readAgents(cluster.client));
}

async function hasAgent(cluster: Cluster, agent: { namespace: string; name: string }): Promise<boolean> {
  const agents = await readAgents(cluster.client);
  return agents.some(({ namespace, name }) => namespace === agent.namespace && name === agent.name);
}

async function keep(cluster: Cluster): Promise<void> {
  say(`\nLeft running. In another terminal:\n\n   export KUBECONFIG=${cluster.kubeconfig}`);
  say(`   ${cluster.binaries['kubectl'] ?? 'kubectl'} get hermesagents -A\n\nCtrl-C ends everything.`);
  await new Promise<never>(() => undefined);
}

/** Rejects at the first signal, so that `finally` blocks clean up; what follows is for the impatient. */
function interruption(): Promise<never> {
  return new Promise((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.once(signal, () => {
        reject(new Interrupted(signal));
      });
    }
  });
}

class Interrupted extends Error {}

const interrupted = interruption();
// Until it is raced, nobody listens.
interrupted.catch(() => undefined);
try {
  await main(interrupted);
  say('\nDone; everything is cleaned up.');
} catch (error) {
  if (!(error instanceof Interrupted)) throw error;
  say('\nInterrupted; everything is cleaned up.');
  process.exitCode = flags.keep ? 0 : 130;
}
process.exit();
