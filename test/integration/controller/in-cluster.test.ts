import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { CONTROLLER_ACCOUNT, SYSTEM_NAMESPACE } from '../../../charts/install/names.js';
import { createNamespace, describeOnBed, sharedBed } from '../../cluster/bed.js';
import { waitFor } from '../../cluster/wait.js';
import { AgentsOnBed, bareAgent } from '../../support/agents-on-bed.js';
import { hostController, type ControllerHost } from '../../support/controller-host.js';
import { fetchPage, startController, type ControllerProcess } from '../../support/controller-process.js';

/** Loaded before the controller: shows it a folder of the test where a pod has its service account. */
const MOUNTED = `
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const mount = '/var/run/secrets/kubernetes.io/serviceaccount';
const read = fs.readFileSync;
fs.readFileSync = (path, ...rest) =>
  read(String(path).startsWith(mount) ? process.env.MOUNT + String(path).slice(mount.length) : path, ...rest);
syncBuiltinESMExports();
`;

describeOnBed('the controller in a pod', () => {
  const bed = sharedBed();
  const { client, server, ca } = bed;
  const folder = mkdtempSync(join(tmpdir(), 'hermes-mount-'));
  let agents: AgentsOnBed;
  let host: ControllerHost;
  let controller: ControllerProcess;

  const secretPath = (name: string): string => `/api/v1/namespaces/${SYSTEM_NAMESPACE}/secrets/${name}`;

  /** A token of the controller that is good for as long as a Secret of this name is there. */
  async function boundToken(name: string): Promise<string> {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name } };
    const { metadata } = await client.create(secretPath(name).replace(`/${name}`, ''), secret);
    const accounts = `/api/v1/namespaces/${SYSTEM_NAMESPACE}/serviceaccounts`;
    const { status } = await client.create(`${accounts}/${CONTROLLER_ACCOUNT}/token`, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds: 600, boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name, uid: metadata.uid } },
    });
    return (status as { token: string }).token;
  }

  /** As the kubelet does it: whoever reads finds the old file or the new one. */
  function mount(name: string, content: string): void {
    writeFileSync(join(folder, `${name}.new`), content);
    renameSync(join(folder, `${name}.new`), join(folder, name));
  }

  beforeAll(async () => {
    agents = new AgentsOnBed(client, await createNamespace(client, 'in-pod'));
    host = await hostController(bed);
  });
  afterAll(async () => {
    await controller.end('SIGKILL');
    for (const name of ['first', 'second']) await client.delete(secretPath(name));
    rmSync(folder, { recursive: true });
    await host.stop();
  });

  it('finds the API server and its own namespace, and takes up a token that replaces a dead one', async () => {
    const first = await boundToken('first');
    mount('token', first);
    mount('ca.crt', ca);
    mount('namespace', SYSTEM_NAMESPACE);
    const { hostname, port } = new URL(server);
    controller = await startController(
      inject('controllerBundle'),
      [`--namespaces=${agents.namespace}`, '--metrics-secure=false', '--leader-elect'],
      {
        args: ['--import', `data:text/javascript,${encodeURIComponent(MOUNTED)}`],
        env: { MOUNT: folder, KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port },
      },
    );
    await client.create(agents.path(), bareAgent('before', agents.namespace, { suspend: true }));
    await agents.reach('before', 'Suspended');

    mount('token', await boundToken('second'));
    await client.delete(secretPath('first'));
    const former = client.as(first);
    const crd = { method: 'GET', path: agents.path() } as const;
    await waitFor(async () => (await former.request(crd)).statusCode === 401, { what: 'the first token to be dead' });
    former.close();

    await client.create(agents.path(), bareAgent('after', agents.namespace, { suspend: true }));
    await agents.reach('after', 'Suspended');
    await client.delete(agents.path('before'));
    await agents.gone('before');
    expect((await fetchPage(`${controller.healthUrl}/readyz`)).status).toBe(200);
    const { body } = await fetchPage(controller.metricsUrl);
    expect(body).toContain('leader_election_master_status{name="hermes-gitops-controller"} 1\n');
  });
});
