import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CONTROLLER_RULES } from '../../../charts/install/cluster-role.js';
import { createNamespace, describeOnBed } from '../../cluster/bed.js';
import { startCluster, type Cluster } from '../../cluster/cluster.js';
import { eventually, untilStill, waitFor } from '../../cluster/wait.js';
import { AgentsOnBed, bareAgent, controllerReady, type AgentStatus } from '../../support/agents-on-bed.js';
import { hostController, type ControllerHost } from '../../support/controller-host.js';
import { fetchPage, type ControllerProcess } from '../../support/controller-process.js';
import { rightsOf } from '../../support/granted-rights.js';

const AGENTS = 60;
const CHANGES = 600;
const AT_ONCE = 8;
/** Of the changes, the one at which the API server dies. */
const KILL_AT = 200;
const RECOVERY_MS = 60_000;
/** An API server that has just started refuses what it grants, until it has read its roles. */
const GRANTED = new Set(rightsOf(CONTROLLER_RULES));

describeOnBed('an API server that dies', () => {
  let cluster: Cluster;
  let agents: AgentsOnBed;
  let host: ControllerHost;
  let controller: ControllerProcess;
  /** What each agent is asked to be, as far as the API server has said yes; undefined is gone. */
  const asked = new Map<string, boolean | undefined>();

  beforeAll(async () => {
    cluster = await startCluster({ apiServerOnly: true });
    agents = new AgentsOnBed(cluster.client, await createNamespace(cluster.client, 'storm'));
    host = await hostController(cluster, { isMeant: (right) => GRANTED.has(right) });
    controller = await host.start();
    await controllerReady(controller);
  });
  afterAll(() => cluster.stop());
  afterAll(() => host.stop());

  /** Turns an agent on or off, or takes it away, until the API server has said that it is so. */
  async function change(index: number): Promise<void> {
    const name = `agent-${index % AGENTS}`;
    const isSuspended = index % 2 === 0;
    const isLast = index >= CHANGES - AGENTS;
    await waitFor(
      async () => {
        if (isLast && index % 5 === 0) {
          await cluster.client.delete(agents.path(name));
          asked.set(name, undefined);
          return true;
        }
        await cluster.client.apply(bareAgent(name, agents.namespace, { suspend: isSuspended }), { force: true });
        asked.set(name, isSuspended);
        return true;
      },
      { what: `change ${index}`, timeoutMs: RECOVERY_MS },
    );
  }

  async function expectAllRight(): Promise<void> {
    const stored = await cluster.client.list(agents.path());
    const wanted = [...asked].filter(([, isSuspended]) => isSuspended !== undefined);
    const phaseOf = (isSuspended: boolean | undefined): string => (isSuspended === true ? 'Suspended' : 'Provisioning');
    const want = wanted.map(([name, isSuspended]) => `${name} ${phaseOf(isSuspended)}`).sort();
    const seen = stored.map(({ metadata, status }) => {
      const { phase = '', observedGeneration } = status as AgentStatus;
      return `${metadata.name} ${observedGeneration === metadata.generation ? phase : 'not looked at'}`;
    });
    expect(seen.sort()).toEqual(want);
    const series = (await agents.series(controller))
      .filter((line) => line.startsWith('hermes_agent_phase') && line.endsWith(' 1'))
      .map((line) => line.replace(/^.*name="(agent-\d+)".*phase="(\w+)".*$/, '$1 $2'));
    expect(series.sort()).toEqual(want);
  }

  const restarts = async (cause: string): Promise<number> =>
    (await fetchPage(controller.metricsUrl)).body
      .split('\n')
      .filter((line) => line.startsWith('hermes_gitops_watch_restarts_total') && line.includes(`cause="${cause}"`))
      .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);

  const statusWrites = async (name: string): Promise<number> =>
    (await readFile(cluster.auditLog, 'utf8'))
      .split('\n')
      .filter((line) => line.includes(`${agents.path(name)}/status?`) && line.includes('"patch"')).length;

  it('amid a storm of changes costs none of them', async () => {
    let outage: Promise<void> | undefined;
    const breakDown = async (): Promise<void> => {
      await cluster.kill('kube-apiserver');
      await cluster.restart('kube-apiserver');
    };
    // Each lane has its own agents, so that what it asked last is what is asked.
    const lanes = Array.from({ length: AT_ONCE }, async (_, lane) => {
      for (let index = 0; index < CHANGES; index++) {
        if ((index % AGENTS) % AT_ONCE !== lane) continue;
        await change(index);
        if (index >= KILL_AT) outage ??= breakDown();
      }
    });
    await Promise.all(lanes);
    await outage;
    expect(outage).toBeDefined();
    await eventually(expectAllRight, RECOVERY_MS);
    expect(await restarts('error')).toBeGreaterThan(0);
  });

  it('and forgets the past is listed again, and nothing that is as it was is written', async () => {
    const { client } = cluster;
    const names = [...asked].filter(([, isSuspended]) => isSuspended !== undefined).map(([name]) => name);
    const [gone = '', changed = '', ...settled] = names;
    const before = await untilStill(() => Promise.all(settled.map(statusWrites)));
    expect(Math.min(...before)).toBeGreaterThan(0);

    process.kill(controller.pid, 'SIGSTOP');
    await client.delete(agents.path(gone));
    await client.mergePatch(agents.path(gone), { metadata: { finalizers: null } });
    await client.mergePatch(agents.path(changed), { spec: { suspend: asked.get(changed) !== true } });
    asked.set(gone, undefined);
    asked.set(changed, asked.get(changed) !== true);
    await cluster.kill('kube-apiserver');
    await cluster.compactEtcd();
    await cluster.restart('kube-apiserver');
    process.kill(controller.pid, 'SIGCONT');

    await eventually(expectAllRight, RECOVERY_MS);
    expect(await restarts('expired')).toBeGreaterThan(0);
    await pause(2000);
    expect(await Promise.all(settled.map(statusWrites))).toEqual(before);
    expect((await fetchPage(`${controller.healthUrl}/readyz`)).status).toBe(200);
  });
});
