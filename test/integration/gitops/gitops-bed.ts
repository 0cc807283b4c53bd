import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { SYSTEM_NAMESPACE } from '../../../charts/install/names.js';
import { provisionVolumes } from '../../cluster/bed.js';
import type { KubeClient } from '../../cluster/client.js';
import { startCluster, type Cluster } from '../../cluster/cluster.js';
import { installSandboxCrd } from '../../cluster/sandbox-crd.js';
import { controllerReady } from '../../support/agents-on-bed.js';
import { hostController } from '../../support/controller-host.js';
import type { ControllerProcess } from '../../support/controller-process.js';

/** A bed of its own with the install set applied, and with the controller running under its own account. */
export interface GitOpsBed {
  readonly cluster: Cluster;
  readonly client: KubeClient;
  /** The controller that runs now, or that ran last. */
  readonly controller: ControllerProcess;
  /** Ends the controller, as a node does that loses its power. */
  killController(): Promise<void>;
  /** Starts the controller again and waits until it is ready. */
  startController(): Promise<void>;
  /** Runs kubectl as the admin and resolves with what it prints. `editor` is what `kubectl edit` starts. */
  kubectl(args: readonly string[], editor?: string): Promise<string>;
  stop(): Promise<void>;
}

/** The class of claims that name none, and one whose volumes wait for the first pod. */
const STORAGE_CLASSES = [
  {
    name: 'standard',
    volumeBindingMode: 'Immediate',
    annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' },
  },
  { name: 'waits-for-pod', volumeBindingMode: 'WaitForFirstConsumer', annotations: {} },
].map(({ name, volumeBindingMode, annotations }) => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name, annotations },
  provisioner: 'bed.example.org/none',
  volumeBindingMode,
}));

/** Engines change a whole cluster, which is why these tests do not share the bed of the others. */
export async function startGitOpsBed(): Promise<GitOpsBed> {
  const cluster = await startCluster();
  const { client } = cluster;
  try {
    await installSandboxCrd(client);
    const host = await hostController(cluster);
    for (const each of STORAGE_CLASSES) await client.apply(each);
    const stopVolumes = provisionVolumes(client);
    const flags = ['--leader-elect', `--leader-election-namespace=${SYSTEM_NAMESPACE}`];
    let controller = await host.start(flags);
    return {
      cluster,
      client,
      get controller() {
        return controller;
      },
      killController: async () => {
        await controller.end('SIGKILL');
      },
      startController: async () => {
        controller = await host.start(flags);
        await controllerReady(controller);
      },
      kubectl: (command, editor) => kubectl(cluster, command, editor),
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

async function kubectl(cluster: Cluster, args: readonly string[], editor = ''): Promise<string> {
  const command = cluster.binaries['kubectl'] ?? 'kubectl';
  const { stdout } = await promisify(execFile)(command, [`--kubeconfig=${cluster.kubeconfig}`, ...args], {
    env: { ...process.env, KUBE_EDITOR: editor },
  });
  return stdout;
}
