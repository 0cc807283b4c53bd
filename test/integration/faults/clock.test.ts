import { afterAll, beforeAll, expect, it } from 'vitest';
import { createNamespace, describeOnBed, sharedBed } from '../../cluster/bed.js';
import { waitFor } from '../../cluster/wait.js';
import { AgentsOnBed, bareAgent, conditionOf, type AgentStatus } from '../../support/agents-on-bed.js';
import { hostController, type ControllerHost } from '../../support/controller-host.js';
import { type ControllerProcess } from '../../support/controller-process.js';

/** Loaded before the controller: its wall clock is late from the start, and SIGHUP steps it by a day. */
const SHIFTED_CLOCK = `
const RealDate = Date;
let shiftMs = -7 * 60_000;
globalThis.Date = class extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(RealDate.now() + shiftMs);
    else super(...parts);
  }
  static now() {
    return RealDate.now() + shiftMs;
  }
};
process.on('SIGHUP', () => {
  shiftMs += 24 * 3_600_000;
});
`;
/** Between the test's clock and the API server's, which are one machine's, to the second. */
const TOLERANCE_MS = 2000;

describeOnBed('a controller whose clock is wrong, and is stepped by a day', () => {
  const bed = sharedBed();
  const { client } = bed;
  let agents: AgentsOnBed;
  let host: ControllerHost;
  let controller: ControllerProcess;

  beforeAll(async () => {
    agents = new AgentsOnBed(client, await createNamespace(client, 'clock'));
    host = await hostController(bed);
    controller = await host.start([`--namespaces=${agents.namespace}`], {
      args: ['--import', `data:text/javascript,${encodeURIComponent(SHIFTED_CLOCK)}`],
    });
  });
  afterAll(async () => {
    await host.stop();
  });

  const changedAt = (status: AgentStatus): number => {
    const ready = conditionOf(status, 'Ready') as { readonly lastTransitionTime?: string } | undefined;
    return Date.parse(ready?.lastTransitionTime ?? '');
  };

  const expectTold = (status: AgentStatus, since: number): void => {
    expect(changedAt(status)).toBeGreaterThanOrEqual(since - TOLERANCE_MS);
    expect(changedAt(status)).toBeLessThanOrEqual(Date.now() + TOLERANCE_MS);
  };

  it('measures windows and writes times by the clock of the API server', async () => {
    let since = Date.now();
    await client.create(agents.path(), bareAgent('early', agents.namespace));
    expectTold(await agents.reach('early', 'Provisioning'), since);
    const local = controller.log().map(({ time }) => Date.parse(String(time)));
    expect(Math.max(...local)).toBeLessThan(since);

    process.kill(controller.pid, 'SIGHUP');
    since = Date.now();
    await client.mergePatch(agents.path('early'), { spec: { suspend: true } });
    expectTold(await agents.reach('early', 'Suspended'), since);
    // Its window to come up is ten minutes, of which the stepped clock would see the end.
    since = Date.now();
    await client.mergePatch(agents.path('early'), { spec: { suspend: false } });
    expectTold(await agents.reach('early', 'Provisioning'), since);
    await client.create(agents.path(), bareAgent('late', agents.namespace));
    expectTold(await agents.reach('late', 'Provisioning'), since);
    await waitFor(() => Promise.resolve(controller.log().some(({ time }) => Date.parse(String(time)) > Date.now())), {
      what: 'a line of the log from tomorrow',
    });
    await client.delete(agents.path('late'));
    await agents.gone('late');
  });
});
