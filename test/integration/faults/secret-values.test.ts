import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createNamespace, describeOnBed, sharedBed } from '../../cluster/bed.js';
import { waitFor } from '../../cluster/wait.js';
import { AgentsOnBed, bareAgent, conditionOf } from '../../support/agents-on-bed.js';
import { hostController, type ControllerHost } from '../../support/controller-host.js';
import { type ControllerProcess } from '../../support/controller-process.js';

describeOnBed('the value of a Secret', () => {
  const bed = sharedBed();
  const { client } = bed;
  const folder = mkdtempSync(join(tmpdir(), 'hermes-heap-'));
  let agents: AgentsOnBed;
  let host: ControllerHost;
  let controller: ControllerProcess;

  beforeAll(async () => {
    agents = new AgentsOnBed(client, await createNamespace(client, 'values'));
    host = await hostController(bed);
    controller = await host.start([`--namespaces=${agents.namespace}`, '--log-level=debug'], {
      args: ['--heapsnapshot-signal=SIGUSR2'],
      cwd: folder,
    });
  });
  afterAll(async () => {
    await host.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The snapshot is written while the process stands still; it is whole when it no longer grows. */
  async function heapSnapshot(): Promise<string> {
    process.kill(controller.pid, 'SIGUSR2');
    let size = 0;
    const path = await waitFor(
      () => {
        const [name] = readdirSync(folder).filter((file) => file.endsWith('.heapsnapshot'));
        if (name === undefined) return Promise.resolve(undefined);
        const former = size;
        size = statSync(join(folder, name)).size;
        return Promise.resolve(size > 0 && size === former && join(folder, name));
      },
      { what: 'a heap snapshot', everyMs: 500 },
    );
    return readFile(path, 'utf8');
  }

  it('is neither kept nor logged, though it was looked at', async () => {
    const marker = `marker${randomBytes(12).toString('hex')}`;
    const metadata = { name: 'tokens-of-the-agent', namespace: agents.namespace };
    await client.apply({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { ...metadata, annotations: { note: `${marker}-annotated` } },
      stringData: { 'key-of-the-token': marker },
    });
    const env = [
      { name: 'TOKEN', valueFrom: { secretKeyRef: { name: metadata.name, key: 'key-of-the-token' } } },
      { name: 'LACKING', valueFrom: { secretKeyRef: { name: metadata.name, key: 'key-that-is-not-there' } } },
    ];
    await client.create(agents.path(), bareAgent('lacking', agents.namespace, { env }));
    await client.create(agents.path(), bareAgent('whole', agents.namespace, { env: env.slice(0, 1) }));
    const lacking = await agents.reach('lacking', 'Bootstrap');
    const whole = await agents.reach('whole', 'Provisioning');
    expect(conditionOf(lacking, 'SecretsResolved')).toMatchObject({ status: 'False', reason: 'SecretKeyNotFound' });
    expect(conditionOf(whole, 'SecretsResolved')).toMatchObject({ status: 'True' });

    const heap = await heapSnapshot();
    const encoded = Buffer.from(marker).toString('base64');
    expect(heap.includes('tokens-of-the-agent')).toBe(true);
    expect(heap.includes('key-of-the-token')).toBe(true);
    expect(heap.includes(marker)).toBe(false);
    expect(heap.includes(encoded.slice(0, -4))).toBe(false);
    const said = JSON.stringify([controller.log(), await client.list(agents.path())]);
    expect(said).not.toContain(marker);
    expect(said).not.toContain(encoded.slice(0, -4));
  });
});
