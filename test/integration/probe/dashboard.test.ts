import { readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { probeViaApiserverComponent } from '../../../charts/install/components/probe-via-apiserver.js';
import { createNamespace, describeOnBed, provisionVolumes, sharedBed } from '../../cluster/bed.js';
import { BED_ANNOTATIONS } from '../../cluster/failure-stages.js';
import { eventually, untilStill, waitFor } from '../../cluster/wait.js';
import { AgentsOnBed, conditionOf, renderedAgent } from '../../support/agents-on-bed.js';
import { hostController, type ControllerHost } from '../../support/controller-host.js';
import { type ControllerProcess } from '../../support/controller-process.js';
import { gatewayStatus, say, sayJson, startDashboard, type FakeDashboard } from '../../support/fake-dashboard.js';

const DASHBOARD_PORT = 9119;
const INTERVAL_SECONDS = 4;
/** Longer than the longest interval between two probes. */
const A_ROUND_MS = 6000;
/** Time for a round and for what the bed does beside it. */
const LIMIT_MS = 34_000;

describeOnBed('the dashboard of an agent', () => {
  const bed = sharedBed();
  const { client, auditLog } = bed;
  let agents: AgentsOnBed;
  let host: ControllerHost;
  let flags: readonly string[];
  let controller: ControllerProcess;
  let dashboard: FakeDashboard;
  let stopVolumes: () => Promise<void>;

  beforeAll(async () => {
    agents = new AgentsOnBed(client, await createNamespace(client, 'probe'));
    stopVolumes = provisionVolumes(client);
    dashboard = await startDashboard(DASHBOARD_PORT);
    host = await hostController(bed, { components: [probeViaApiserverComponent] });
    flags = [`--namespaces=${agents.namespace}`, `--dashboard-probe-interval=${INTERVAL_SECONDS}`];
    controller = await host.start(flags);
  });

  afterAll(async () => {
    await dashboard.close();
    await stopVolumes();
    await host.stop();
  });

  const spec = (more: object = {}): object => ({
    dashboard: { enabled: true, env: [{ name: 'HERMES_DASHBOARD_BASIC_AUTH_USERNAME', value: 'x' }] },
    gateways: [{ type: 'telegram' }, { type: 'discord' }],
    podAnnotations: { [BED_ANNOTATIONS.state]: 'not-ready' },
    ...more,
  });

  const apply = (name: string, more: object = {}): Promise<void> =>
    agents.apply(renderedAgent(name, agents.namespace, spec(more)));

  /**
   * Pods of the bed have addresses that lead nowhere: gives the agent's pod the one of the fake dashboard, and lets it
   * become ready once that has answered.
   */
  async function connect(name: string, ip = dashboard.address): Promise<void> {
    const podName = await waitFor(async () => (await agents.status(name)).podName);
    const path = `/api/v1/namespaces/${agents.namespace}/pods/${podName}`;
    await waitFor(async () => ((await client.get(path))['status'] as { podIP?: string }).podIP);
    await client.mergePatch(`${path}/status`, { status: { podIP: ip, podIPs: [{ ip }] } });
    await waitFor(async () => !(await gatewaysReady(name)).startsWith('Unknown'), { timeoutMs: LIMIT_MS });
    await client.mergePatch(path, { metadata: { annotations: { [BED_ANNOTATIONS.state]: 'ready' } } });
  }

  const gatewaysReady = async (name: string): Promise<string> => {
    const condition = conditionOf(await agents.status(name), 'GatewaysReady');
    return condition === undefined ? 'absent' : `${condition.status} ${condition.reason}`;
  };

  const notes = async (name: string): Promise<readonly string[]> => {
    const { items } = (await client.get(`/apis/events.k8s.io/v1/namespaces/${agents.namespace}/events`)) as unknown as {
      items: { eventTime: string; note: string; reason: string; regarding: { kind: string; name: string } }[];
    };
    return items
      .filter(({ regarding }) => regarding.kind === 'HermesAgent' && regarding.name === name)
      .sort((a, b) => (a.eventTime < b.eventTime ? -1 : 1))
      .map(({ reason, note }) => `${reason}: ${note.split(':')[0] ?? ''}`);
  };

  const writes = async (name: string): Promise<number> =>
    (await readFile(auditLog, 'utf8'))
      .split('\n')
      .filter((line) => line.includes(`${agents.path(name)}/status`) && line.includes('"verb":"patch"')).length;

  /** Probes that failed before the pod had its address: how many depends on the bed. */
  const failuresOf = async (name: string): Promise<number> => {
    const line = (await agents.series(controller)).find((one) => one.includes(`probe_failures_total{name="${name}"`));
    return Number(line?.split(' ').at(-1));
  };

  const probeSeries = async (): Promise<readonly string[]> =>
    (await agents.series(controller)).filter((line) => /gateway_ready|probe_failures/.test(line)).sort();

  it('takes it through every phase, by its gateways alone', async () => {
    const { namespace } = agents;
    dashboard.answer = sayJson(gatewayStatus({ discord: 'connecting', telegram: 'connecting' }));
    await apply('mina');
    await connect('mina');
    const failed = await failuresOf('mina');
    await eventually(async () => {
      expect(conditionOf(await agents.status('mina'), 'PodReady')?.status).toBe('True');
    });
    expect(await gatewaysReady('mina')).toBe('False PlatformsNotConnected');
    await agents.reach('mina', 'Provisioning');

    dashboard.answer = sayJson(gatewayStatus({ discord: 'connected', telegram: 'retrying' }));
    await agents.reach('mina', 'Ready', LIMIT_MS);
    expect(await agents.status('mina')).toMatchObject({
      gatewaySummary: '1/2',
      activeSessions: 2,
      gateways: [
        { type: 'telegram', ready: false, state: 'retrying' },
        { type: 'discord', ready: true, state: 'connected' },
      ],
    });
    expect(await probeSeries()).toEqual([
      `hermes_agent_dashboard_probe_failures_total{name="mina",namespace="${namespace}"} ${failed}`,
      `hermes_agent_gateway_ready{name="mina",namespace="${namespace}",gateway_type="discord"} 1`,
      `hermes_agent_gateway_ready{name="mina",namespace="${namespace}",gateway_type="telegram"} 0`,
    ]);

    dashboard.answer = sayJson(
      gatewayStatus(
        { discord: 'connected', telegram: 'fatal' },
        { gateway_state: 'degraded', restart_drain_timeout: 600 },
      ),
    );
    await agents.reach('mina', 'Degraded', LIMIT_MS);
    expect(await gatewaysReady('mina')).toBe('False Degraded');

    dashboard.answer = sayJson(gatewayStatus({ discord: 'connected', telegram: 'connected' }));
    await agents.reach('mina', 'Ready', LIMIT_MS);
    expect(await gatewaysReady('mina')).toBe('True AllPlatformsConnected');

    // Two more answers that say the same, one of them with its platforms in another order.
    const before = await untilStill(() => writes('mina'));
    const asked = dashboard.requests.length;
    dashboard.answer = sayJson(gatewayStatus({ telegram: 'connected', discord: 'connected' }));
    await waitFor(() => Promise.resolve(dashboard.requests.length >= asked + 2), { timeoutMs: 2 * LIMIT_MS });
    await pause(1000);
    expect(await writes('mina')).toBe(before);

    await apply('mina', { suspend: true });
    await agents.reach('mina', 'Suspended');
    await waitFor(async () => (await agents.status('mina')).podName === undefined);
    expect(await gatewaysReady('mina')).toBe('absent');
    expect(await agents.status('mina')).not.toHaveProperty('gateways');
    expect(await probeSeries()).toEqual([]);
    const atRest = dashboard.requests.length;
    await pause(A_ROUND_MS);
    expect(dashboard.requests.length).toBe(atRest);
    expect(await notes('mina')).toEqual(
      expect.arrayContaining([
        'AgentReady: Provisioning -> Ready',
        'DrainCutShort: the agent drains for up to 600 s (agent.restart_drain_timeout), and its pod is killed after 210 s',
        'Degraded: Ready -> Degraded',
        'AgentReady: Degraded -> Ready',
        'Suspended: Ready -> Suspended',
      ]),
    );
  }, 200_000);

  it('drops the series of a gateway that leaves the spec, and of a dashboard that is switched off', async () => {
    const { namespace } = agents;
    dashboard.answer = sayJson(gatewayStatus({ discord: 'connected', telegram: 'connected' }));
    await apply('nora');
    await connect('nora');
    const failed = await failuresOf('nora');
    await agents.reach('nora', 'Ready', LIMIT_MS);
    const ofNora = async (): Promise<readonly string[]> =>
      (await probeSeries()).filter((line) => line.includes('name="nora"'));
    expect(await ofNora()).toHaveLength(3);

    // The spec alone, so that the pod stays.
    await client.mergePatch(agents.path('nora'), { spec: { gateways: [{ type: 'discord' }] } });
    await eventually(async () => {
      expect(await ofNora()).toEqual([
        `hermes_agent_dashboard_probe_failures_total{name="nora",namespace="${namespace}"} ${failed}`,
        `hermes_agent_gateway_ready{name="nora",namespace="${namespace}",gateway_type="discord"} 1`,
      ]);
    });

    dashboard.answer = say(302, '', { location: 'http://169.254.169.254/' });
    await eventually(async () => {
      expect(await failuresOf('nora')).toBe(failed + 1);
    }, LIMIT_MS);
    expect(await gatewaysReady('nora')).toBe('True AllPlatformsConnected');

    await client.mergePatch(agents.path('nora'), { spec: { dashboard: { enabled: false } } });
    await eventually(async () => {
      expect(await ofNora()).toEqual([]);
    });
    // The series go before the status is written.
    await eventually(async () => {
      expect(await gatewaysReady('nora')).toBe('absent');
    });
  }, 200_000);

  /** The API server passes nothing on to a loopback address. */
  const outside = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

  it.skipIf(outside === undefined)(
    'goes on through the API server after a restart, without a write',
    async () => {
      const server = await startDashboard(DASHBOARD_PORT, outside);
      try {
        server.answer = sayJson(gatewayStatus({ discord: 'connected', telegram: 'retrying' }));
        await apply('otto');
        await connect('otto', server.address);
        await agents.reach('otto', 'Ready', LIMIT_MS);
        // Whatever is still on its way after Ready is written by then.
        const stored = await untilStill(() => agents.status('otto'), A_ROUND_MS);
        const before = await writes('otto');

        await controller.end('SIGTERM');
        const asked = server.requests.length;
        controller = await host.start([...flags, '--probe-via-apiserver']);
        await waitFor(() => Promise.resolve(server.requests.length > asked), { timeoutMs: LIMIT_MS });
        await pause(1000);
        expect(await failuresOf('otto')).toBe(0);
        expect(await agents.status('otto')).toEqual(stored);
        expect(await writes('otto')).toBe(before);

        server.answer = sayJson(gatewayStatus({ discord: 'connected', telegram: 'connected' }));
        await eventually(async () => {
          expect(await gatewaysReady('otto')).toBe('True AllPlatformsConnected');
        }, LIMIT_MS);
      } finally {
        await server.close();
      }
    },
    200_000,
  );
});
