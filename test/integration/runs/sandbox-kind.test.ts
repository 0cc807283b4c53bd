import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createNamespace, describeOnBed, sharedBed } from '../../cluster/bed.js';
import { installSandboxCrd, removeSandboxCrd } from '../../cluster/sandbox-crd.js';
import { eventually } from '../../cluster/wait.js';
import { hostController, type ControllerHost } from '../../support/controller-host.js';
import { controllerReady } from '../../support/agents-on-bed.js';
import { auditEnd, controllerRequests } from '../../support/controller-requests.js';

/** Long enough for three looks, where the kind was asked for again and again. */
const SILENCE_MS = 8000;
const CALM_MS = 2000;

describeOnBed('the kind of Sandboxes', () => {
  const bed = sharedBed();
  const { client, auditLog } = bed;
  let since = 0;
  let host: ControllerHost;

  beforeAll(async () => {
    await removeSandboxCrd(client);
    since = auditEnd(auditLog);
    host = await hostController(bed);
    await controllerReady(await host.start([`--namespaces=${await createNamespace(client, 'no-sandbox')}`]));
  });
  afterAll(() => host.stop());

  const asked = (): readonly string[] =>
    controllerRequests(auditLog, since)
      .filter(({ resource }) => resource === 'sandboxes')
      .map(({ verb }) => verb);

  /** The answer that there is no such kind comes to a list; the news that it is gone may come after it. */
  const expectSilence = async (): Promise<void> => {
    await eventually(async () => {
      await Promise.resolve();
      expect(asked()).toContain('list');
    });
    await pause(CALM_MS);
    since = auditEnd(auditLog);
    await pause(SILENCE_MS);
    expect(asked()).toEqual([]);
  };

  it('is not asked for while it is not installed, is watched as soon as it is, and is let go of with it', async () => {
    await expectSilence();

    await installSandboxCrd(client);
    await eventually(async () => {
      await Promise.resolve();
      expect(asked()).toContain('watch');
    });

    since = auditEnd(auditLog);
    await removeSandboxCrd(client);
    await expectSilence();
  });
});
