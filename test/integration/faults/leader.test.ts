import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SYSTEM_NAMESPACE } from '../../../charts/install/names.js';
import { createNamespace, describeOnBed, sharedBed } from '../../cluster/bed.js';
import { waitFor } from '../../cluster/wait.js';
import { AgentsOnBed, bareAgent, controllerReady } from '../../support/agents-on-bed.js';
import { hostController, type ControllerHost } from '../../support/controller-host.js';
import { fetchPage, type ControllerProcess } from '../../support/controller-process.js';
import { startFaultyProxy, type FaultyProxy, type ProxiedRequest } from '../../support/faulty-proxy.js';
import { runWithJob, RunsOnBed } from '../../support/runs-on-bed.js';

const TAKEOVER_MS = 20_000;
const NAMES = ['a', 'b', 'c', 'd', 'e'];
const LEADER = 'leader_election_master_status{name="hermes-gitops-controller"}';

interface AuditLine {
  readonly verb: string;
  readonly userAgent?: string;
  readonly objectRef?: { readonly namespace?: string; readonly name?: string; readonly subresource?: string };
  readonly responseStatus?: { readonly code?: number };
}

describeOnBed('a leader that is killed', () => {
  const bed = sharedBed();
  const { client, auditLog } = bed;
  let agents: AgentsOnBed;
  let host: ControllerHost;

  const start = (): Promise<ControllerProcess> =>
    host.start([
      `--namespaces=${agents.namespace}`,
      '--leader-elect',
      `--leader-election-namespace=${SYSTEM_NAMESPACE}`,
    ]);

  beforeAll(async () => {
    agents = new AgentsOnBed(client, await createNamespace(client, 'leader'));
    host = await hostController(bed);
  });
  afterAll(() => host.stop());

  const isLeading = async (controller: ControllerProcess): Promise<boolean> =>
    (await fetchPage(controller.metricsUrl)).body.split('\n').includes(`${LEADER} 1`);

  const phases = async (controller: ControllerProcess): Promise<readonly string[]> =>
    (await agents.series(controller)).filter((line) => line.startsWith('hermes_agent_phase') && line.endsWith(' 1'));

  /** Codes of the status writes to the agents, by agent. */
  async function statusWrites(): Promise<Readonly<Record<string, readonly number[]>>> {
    const writes: Record<string, number[]> = {};
    for (const text of (await readFile(auditLog, 'utf8')).split('\n')) {
      if (!text.includes(agents.namespace) || !text.includes('"status"')) continue;
      const { verb, userAgent, objectRef, responseStatus } = JSON.parse(text) as AuditLine;
      if (verb !== 'patch' || objectRef?.subresource !== 'status') continue;
      if (userAgent?.startsWith('hermes-gitops-controller') !== true) continue;
      (writes[objectRef.name ?? ''] ??= []).push(responseStatus?.code ?? 0);
    }
    return writes;
  }

  it('is followed by the standby, which writes nothing twice and nothing against it', async () => {
    for (const name of NAMES) await client.create(agents.path(), bareAgent(name, agents.namespace, { suspend: true }));
    const leader = await start();
    for (const name of NAMES) await agents.reach(name, 'Suspended');
    const standby = await start();
    await controllerReady(standby);
    expect([await isLeading(leader), await isLeading(standby)]).toEqual([true, false]);
    expect(await agents.series(standby)).toEqual([]);
    expect(await phases(leader)).toHaveLength(NAMES.length);

    expect(await leader.end('SIGKILL')).toBe('SIGKILL');
    await client.mergePatch(agents.path('a'), { spec: { suspend: false } });
    await client.delete(agents.path('b'));
    await waitFor(() => isLeading(standby), { timeoutMs: TAKEOVER_MS, what: 'the standby to lead' });
    await agents.reach('a', 'Provisioning');
    await agents.gone('b');
    await waitFor(async () => (await phases(standby)).length === NAMES.length - 1, { what: 'the series' });
    const series = (name: string, phase: string): string =>
      `hermes_agent_phase{name="${name}",namespace="${agents.namespace}",phase="${phase}"} 1`;
    expect([...(await phases(standby))].sort()).toEqual([
      series('a', 'Provisioning'),
      series('c', 'Suspended'),
      series('d', 'Suspended'),
      series('e', 'Suspended'),
    ]);
    expect(await statusWrites()).toEqual({ a: [200, 200], b: [200], c: [200], d: [200], e: [200] });
  });
});

describeOnBed('a leader', () => {
  const bed = sharedBed();
  const { client, server, ca } = bed;
  let agents: AgentsOnBed;
  let runs: RunsOnBed;
  let host: ControllerHost;
  let proxy: FaultyProxy;
  /** What writes wait for. */
  let gate: Promise<void> | undefined;

  const start = (kubeconfig?: string): Promise<ControllerProcess> =>
    host.start(
      [
        `--namespaces=${agents.namespace}`,
        '--leader-elect',
        `--leader-election-namespace=${SYSTEM_NAMESPACE}`,
        '--concurrency=40',
      ],
      kubeconfig === undefined ? {} : { kubeconfig },
    );

  const isLeading = async (controller: ControllerProcess): Promise<boolean> =>
    (await fetchPage(controller.metricsUrl)).body.split('\n').includes(`${LEADER} 1`);

  beforeAll(async () => {
    agents = new AgentsOnBed(client, await createNamespace(client, 'leading'));
    runs = new RunsOnBed(client, agents.namespace);
    host = await hostController(bed);
    const onRequest = ({ method }: ProxiedRequest): Promise<void> | undefined =>
      method === 'PATCH' ? gate : undefined;
    proxy = await startFaultyProxy({ server, ca, token: host.token }, { onRequest });
  });
  afterAll(async () => {
    await proxy.stop();
    await host.stop();
  });

  it('keeps its Lease while more writes hang than it has connections, and writes nothing after it was frozen', async () => {
    const leader = await start(proxy.kubeconfig);
    await waitFor(() => isLeading(leader), { what: 'a leader' });
    await controllerReady(leader);
    let open = (): void => undefined;
    gate = new Promise((resolve) => (open = resolve));
    const names = Array.from({ length: 40 }, (_, index) => `hung-${index}`);
    for (const name of names) await client.create(agents.path(), bareAgent(name, agents.namespace, { suspend: true }));
    const isHung = (): boolean => proxy.requests.filter(({ method }) => method === 'PATCH').length >= 30;
    await waitFor(() => Promise.resolve(isHung()), { what: 'writes that hang' });
    const standby = await start();
    await controllerReady(standby);
    await pause(11_000);
    expect([await isLeading(leader), await isLeading(standby)]).toEqual([true, false]);
    open();
    for (const name of names) await agents.reach(name, 'Suspended');

    // Its deadline passes while the leader is frozen, so that a pass is due at the moment when it wakes.
    await runs.apply(runWithJob('late', agents.namespace, { spec: { startupDeadlineSeconds: 8 } }).slice(0, 1));
    await runs.reach('late', 'Pending');
    process.kill(leader.pid, 'SIGSTOP');
    await waitFor(() => isLeading(standby), { timeoutMs: TAKEOVER_MS, what: 'the standby to lead' });
    await runs.reach('late', 'Failed');
    const from = proxy.requests.length;
    expect(await leader.end('SIGCONT')).toBe(1);
    expect(proxy.requests.slice(from).filter(({ method }) => method !== 'GET')).toEqual([]);
  });
});
