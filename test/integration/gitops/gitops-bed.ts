import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SYSTEM_NAMESPACE } from '../../../charts/install/names.js';
import { provisionVolumes, serviceAccountToken } from '../../cluster/bed.js';
import type { KubeClient } from '../../cluster/client.js';
import { startCluster, type Cluster } from '../../cluster/cluster.js';
import { installCrds } from '../../cluster/install-crds.js';
import { buildController, startController, type ControllerProcess } from '../../support/controller-process.js';
import { applyInstallSet } from '../../support/install-set.js';

/** A bed of its own with the install set applied, and with the controller running under its own account. */
export interface GitOpsBed {
  readonly cluster: Cluster;
  readonly client: KubeClient;
  readonly controller: ControllerProcess;
  /** Runs kubectl as the admin and resolves with what it prints. */
  kubectl(args: readonly string[], input?: string): Promise<string>;
  stop(): Promise<void>;
}

/** Engines change a whole cluster, which is why these tests do not share the bed of the others. */
export async function startGitOpsBed(): Promise<GitOpsBed> {
  const cluster = await startCluster();
  const { client } = cluster;
  try {
    await applyInstallSet(client);
    await installCrds(client);
    const stopVolumes = provisionVolumes(client);
    const bundle = await buildController();
    const controller = await startController(bundle.path, [
      `--kubeconfig=${await controllerKubeconfig(cluster)}`,
      '--leader-elect',
      `--leader-election-namespace=${SYSTEM_NAMESPACE}`,
      '--metrics-secure=false',
    ]);
    return {
      cluster,
      client,
      controller,
      kubectl: (args, input) => kubectl(cluster, args, input),
      stop: async () => {
        await controller.end('SIGTERM');
        await stopVolumes();
        bundle.remove();
        await cluster.stop();
      },
    };
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

async function controllerKubeconfig({ client, server, ca, directory }: Cluster): Promise<string> {
  const path = join(directory, 'controller-kubeconfig');
  const cluster = { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') };
  const token = await serviceAccountToken(client, SYSTEM_NAMESPACE, 'gitops-controller');
  writeFileSync(
    path,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'bed', cluster }],
      users: [{ name: 'controller', user: { token } }],
      contexts: [{ name: 'bed', context: { cluster: 'bed', user: 'controller' } }],
      'current-context': 'bed',
    }),
  );
  return path;
}

async function kubectl(cluster: Cluster, args: readonly string[], input = ''): Promise<string> {
  const running = promisify(execFile)(cluster.binaries['kubectl'] ?? 'kubectl', [
    `--kubeconfig=${cluster.kubeconfig}`,
    ...args,
  ]);
  running.child.stdin?.end(input);
  return (await running).stdout;
}
