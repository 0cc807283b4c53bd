import type { Cluster } from '../cluster/cluster.js';
import { freePorts } from '../cluster/ports.js';
import { waitFor } from '../cluster/wait.js';

/** A controller process and what it serves. */
export interface RunningController {
  /** Number of series whose labels contain this text. */
  countSeries(labels: string): Promise<number>;
}

const COMMAND = new URL('../../build/cli/main.js', import.meta.url).pathname;

/** Runs `hermes-gitops controller` as a process of the bed, and waits until it is ready. */
export async function startController(cluster: Cluster): Promise<RunningController> {
  const [metrics, health] = (await freePorts(2)) as [number, number];
  await cluster.run({
    name: 'hermes-gitops-controller',
    command: process.execPath,
    args: [
      COMMAND,
      'controller',
      `--kubeconfig=${cluster.kubeconfig}`,
      `--metrics-bind-address=127.0.0.1:${metrics}`,
      '--metrics-secure=false',
      `--health-probe-bind-address=127.0.0.1:${health}`,
    ],
  });
  await waitFor(async () => (await fetch(`http://127.0.0.1:${health}/readyz`)).ok, { what: 'a ready controller' });
  return {
    countSeries: async (labels) => {
      const page = await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text();
      return page.split('\n').filter((line) => !line.startsWith('#') && line.includes(labels)).length;
    },
  };
}
