import { afterAll, beforeAll, expect, it } from 'vitest';
import { createNamespace, describeOnBed, sharedBed } from '../../cluster/bed.js';
import { eventually, untilStill } from '../../cluster/wait.js';
import { AgentsOnBed, bareAgent } from '../../support/agents-on-bed.js';
import { hostController, type ControllerHost } from '../../support/controller-host.js';
import { fetchPage, type ControllerProcess } from '../../support/controller-process.js';

const AGENTS = 1000;
const AT_ONCE = 16;
const PASSES = 'workqueue_work_duration_seconds_count';

describeOnBed('a thousand agents that come and go', () => {
  const bed = sharedBed();
  const { client } = bed;
  let agents: AgentsOnBed;
  let host: ControllerHost;
  let controller: ControllerProcess;

  beforeAll(async () => {
    agents = new AgentsOnBed(client, await createNamespace(client, 'churn'));
    host = await hostController(bed);
    controller = await host.start([`--namespaces=${agents.namespace}`]);
  });
  afterAll(async () => {
    await host.stop();
  });

  const metrics = async (): Promise<readonly string[]> => (await fetchPage(controller.metricsUrl)).body.split('\n');

  const valueOf = async (start: string): Promise<number> =>
    Number(
      (await metrics())
        .find((line) => line.startsWith(start))
        ?.split(' ')
        .at(-1),
    );

  it('leave nothing behind: no agent, no series, no work, no error that goes on', async () => {
    let next = 0;
    const work = async (): Promise<void> => {
      for (let index = next++; index < AGENTS; index = next++) {
        await client.create(agents.path(), bareAgent(`agent-${index}`, agents.namespace));
        await client.delete(agents.path(`agent-${index}`));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    expect(next).toBeGreaterThanOrEqual(AGENTS);

    await eventually(async () => {
      expect(await client.list(agents.path())).toEqual([]);
      expect(await agents.series(controller)).toEqual([]);
      expect(await valueOf('workqueue_depth')).toBe(0);
    });
    // The last passes may still be in hand; after them there is none, for whatever reason.
    expect(await untilStill(() => valueOf(PASSES))).toBeGreaterThan(0);
    expect(controller.log().filter(({ msg }) => msg === 'agent could not be updated')).toEqual([]);
  });
});
