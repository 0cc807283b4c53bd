import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { SYSTEM_NAMESPACE } from '../../../charts/install/names.js';
import { provisionVolumes } from '../../cluster/bed.js';
import type { KubeClient } from '../../cluster/client.js';
import { startCluster, type Cluster } from '../../cluster/cluster.js';
import { hostController } from '../../support/controller-host.js';
import type { ControllerProcess } from '../../support/controller-process.js';

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
    const host = await hostController(cluster);
    const stopVolumes = provisionVolumes(client);
    const controller = await host.start(['--leader-elect', `--leader-election-namespace=${SYSTEM_NAMESPACE}`]);
    return {
      cluster,
      client,
      controller,
      kubectl: (args, input) => kubectl(cluster, args, input),
      stop: async () => {
        await stopVolumes();
        try {
          await host.stop();
        } finally {
          await cluster.stop();
        }
      },
    };
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

async function kubectl(cluster: Cluster, args: readonly string[], input = ''): Promise<string> {
  const running = promisify(execFile)(cluster.binaries['kubectl'] ?? 'kubectl', [
    `--kubeconfig=${cluster.kubeconfig}`,
    ...args,
  ]);
  running.child.stdin?.end(input);
  return (await running).stdout;
}
