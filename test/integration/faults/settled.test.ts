import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SYSTEM_NAMESPACE } from '../../../charts/install/names.js';
import { createNamespace, describeOnBed, provisionVolumes, sharedBed } from '../../cluster/bed.js';
import { BED_ANNOTATIONS } from '../../cluster/failure-stages.js';
import { waitFor } from '../../cluster/wait.js';
import { AgentsOnBed, bareAgent, renderedAgent, type AgentStatus } from '../../support/agents-on-bed.js';
import { auditEnd, controllerRequests } from '../../support/controller-requests.js';
import { hostController, type ControllerHost } from '../../support/controller-host.js';

/** Agents with all of their children and a pod, and agents that rest: of these there may be many on any machine. */
const RUNNING = 40;
const RESTING = 460;
const AT_ONCE = 8;
const WINDOW_MS = 40_000;
/** Longer than any status waits to be written; events come ten a second, so that five hundred take their time. */
const CALM_MS = 12_000;
/** A Secret that is not there is looked for again about every 15 s, one that is there every five minutes. */
const MOST_LOOKS = 5;

describeOnBed('settled agents', () => {
  const bed = sharedBed();
  const { client, auditLog } = bed;
  let agents: AgentsOnBed;
  let host: ControllerHost;
  let stopVolumes: () => Promise<void>;

  beforeAll(async () => {
    agents = new AgentsOnBed(client, await createNamespace(client, 'settled'));
    stopVolumes = provisionVolumes(client);
    host = await hostController(bed);
    await host.start([
      `--namespaces=${agents.namespace}`,
      '--leader-elect',
      `--leader-election-namespace=${SYSTEM_NAMESPACE}`,
    ]);
  });
  afterAll(async () => {
    await stopVolumes();
    await host.stop();
  });

  /** Every request but watches, the lease and Secrets. */
  const work = (since: number): readonly string[] =>
    controllerRequests(auditLog, since)
      .filter(({ verb, resource }) => verb !== 'watch' && resource !== 'leases' && resource !== 'secrets')
      .map(({ right, path }) => `${right} ${path}`);

  /** Resolves when the controller has done what there was to do. */
  const untilCalm = (): Promise<true> =>
    waitFor(
      async () => {
        const since = auditEnd(auditLog);
        await pause(CALM_MS);
        return work(since).length === 0;
      },
      { what: 'the controller to have nothing left to do', timeoutMs: 150_000 },
    );

  it('cost nothing but watches, the lease and looking for Secrets that are not there', async () => {
    await client.apply({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'tokens', namespace: agents.namespace },
      stringData: { token: 'x' },
    });
    const env = [{ name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'tokens', key: 'token' } } }];
    const names = Array.from({ length: RUNNING + RESTING }, (_, index) => `agent-${index}`);
    const lacking = [{ name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'not-there', key: 'token' } } }];
    let next = 0;
    const create = async (): Promise<void> => {
      for (let index = next++; index < names.length; index = next++) {
        const name = names[index] ?? '';
        if (index < RUNNING) await agents.apply(renderedAgent(name, agents.namespace, { env }));
        else await client.create(agents.path(), bareAgent(name, agents.namespace, { suspend: true, env }));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, create));
    await client.create(agents.path(), bareAgent('lacking', agents.namespace, { env: lacking }));
    await agents.reach('lacking', 'Bootstrap');
    await waitFor(
      async () => {
        const stored = await client.list(agents.path());
        const settled = stored.filter(({ metadata, status }) => {
          const { phase, observedGeneration } = status as AgentStatus;
          return observedGeneration === metadata.generation && ['Ready', 'Suspended'].includes(phase ?? '');
        });
        return settled.length === names.length;
      },
      { what: 'every agent to settle', timeoutMs: 100_000, everyMs: 500 },
    );
    await untilCalm();

    const since = auditEnd(auditLog);
    await pause(WINDOW_MS);
    const made = controllerRequests(auditLog, since).filter(({ verb }) => verb !== 'watch');
    const leases = made.filter(({ resource }) => resource === 'leases');
    expect(leases.length).toBeGreaterThan(0);
    const others = made.filter(({ resource }) => resource !== 'leases').map(({ right, path }) => `${right} ${path}`);
    // A Secret that is there is looked at again every five minutes, one request for all agents that refer to it.
    const looks = ['not-there', 'tokens'].map(
      (name) => `get /secrets /api/v1/namespaces/${agents.namespace}/secrets/${name}`,
    );
    expect(others.filter((request) => !looks.includes(request))).toEqual([]);
    expect(others).toContain(looks[0]);
    expect(others.length).toBeLessThanOrEqual(MOST_LOOKS);
  }, 400_000);

  it('are written of three details at once, then of none until something happens that people act on', async () => {
    const name = 'agent-0';
    const { podName = '' } = await agents.status(name);
    const pod = `/api/v1/namespaces/${agents.namespace}/pods/${podName}`;
    const since = auditEnd(auditLog);
    const restart = (restartCount: number): Promise<unknown> =>
      client.jsonPatch(`${pod}/status`, [
        { op: 'add', path: '/status/containerStatuses/0/restartCount', value: restartCount },
      ]);
    const written = async (): Promise<unknown> => (await agents.status(name)).restarts;
    for (const count of [1, 2, 3]) {
      await restart(count);
      await waitFor(async () => (await written()) === count, { what: `restart ${count} to be written` });
    }
    await restart(4);
    await restart(5);
    await pause(3000);
    expect(await written()).toBe(3);
    expect(work(since).filter((request) => request.includes(`/${name}/status`)).length).toBe(3);

    await client.mergePatch(pod, { metadata: { annotations: { [BED_ANNOTATIONS.state]: 'not-ready' } } });
    await agents.reach(name, 'Degraded');
    expect(await written()).toBe(5);
  });
});
