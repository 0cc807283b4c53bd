import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createNamespace, describeOnBed, provisionVolumes, sharedBed } from '../../cluster/bed.js';
import { installCrds } from '../../cluster/install-crds.js';
import { AgentsOnBed, renderedAgent } from '../../support/agents-on-bed.js';
import { buildController, startController, type ControllerProcess } from '../../support/controller-process.js';

const AGENTS = 40;
const AT_ONCE = 8;
const WINDOW_MS = 40_000;
/** Until the last answer to a change is written. */
const CALM_MS = 4000;

interface AuditLine {
  readonly verb: string;
  readonly userAgent?: string;
  readonly requestURI: string;
  readonly objectRef?: { readonly resource?: string };
}

describeOnBed('settled agents', () => {
  const { client, kubeconfig, auditLog } = sharedBed();
  let agents: AgentsOnBed;
  let bundle: Awaited<ReturnType<typeof buildController>>;
  let controller: ControllerProcess;
  let stopVolumes: () => Promise<void>;

  beforeAll(async () => {
    await installCrds(client);
    agents = new AgentsOnBed(client, await createNamespace(client, 'settled'));
    stopVolumes = provisionVolumes(client);
    bundle = await buildController();
    controller = await startController(bundle.path, [
      `--kubeconfig=${kubeconfig}`,
      `--namespaces=${agents.namespace}`,
      '--metrics-secure=false',
      '--leader-elect',
      `--leader-election-namespace=${agents.namespace}`,
    ]);
  });
  afterAll(async () => {
    await controller.end('SIGKILL');
    await stopVolumes();
    bundle.remove();
  });

  async function requests(): Promise<readonly AuditLine[]> {
    const lines = (await readFile(auditLog, 'utf8')).split('\n');
    return lines
      .filter((line) => line.includes('hermes-gitops-controller'))
      .map((line) => JSON.parse(line) as AuditLine)
      .filter(({ userAgent }) => userAgent?.startsWith('hermes-gitops-controller') === true);
  }

  it('cost nothing but watches and the lease', async () => {
    await client.apply({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'tokens', namespace: agents.namespace },
      stringData: { token: 'x' },
    });
    const env = [{ name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'tokens', key: 'token' } } }];
    let next = 0;
    const work = async (): Promise<void> => {
      for (let index = next++; index < AGENTS; index = next++) {
        await agents.apply(renderedAgent(`agent-${index}`, agents.namespace, { env }));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    for (let index = 0; index < AGENTS; index++) await agents.reach(`agent-${index}`, 'Ready', 60_000);
    await pause(CALM_MS);

    const before = (await requests()).length;
    await pause(WINDOW_MS);
    const made = (await requests()).slice(before);
    const leases = made.filter(({ objectRef }) => objectRef?.resource === 'leases');
    expect(leases.length).toBeGreaterThan(0);
    const others = made.filter(({ verb, objectRef }) => verb !== 'watch' && objectRef?.resource !== 'leases');
    expect(others.map(({ verb, requestURI }) => `${verb} ${requestURI}`)).toEqual([]);
  });
});
