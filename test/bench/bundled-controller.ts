import { readFile } from 'node:fs/promises';
import type { Cluster } from '../cluster/cluster.js';
import { freePorts } from '../cluster/ports.js';
import { waitFor } from '../cluster/wait.js';
import { imageEntry } from '../support/image-entry.js';

/** Name of the controller's process on the bed. */
export const CONTROLLER = 'hermes-gitops-controller';

const BUNDLE = new URL('../../build/controller/bundle.mjs', import.meta.url).pathname;

/** Starts the controller as it is shipped, and resolves with where its metrics are when it is healthy. */
export async function startBundle(cluster: Cluster): Promise<{ readonly metrics: string }> {
  const [metrics, health] = (await freePorts(2)) as [number, number];
  await cluster.run({
    name: CONTROLLER,
    command: process.execPath,
    args: [
      ...imageEntry().nodeFlags,
      BUNDLE,
      `--kubeconfig=${cluster.kubeconfig}`,
      `--metrics-bind-address=127.0.0.1:${metrics}`,
      '--metrics-secure=false',
      `--health-probe-bind-address=127.0.0.1:${health}`,
    ],
  });
  await waitFor(async () => (await fetch(`http://127.0.0.1:${health}/healthz`)).ok, { everyMs: 20 });
  return { metrics: `http://127.0.0.1:${metrics}/metrics` };
}

/** Resident memory of the controller now and at most, in MB of 1,000,000 bytes. */
export async function residentMegabytes(cluster: Cluster): Promise<string> {
  const status = await readFile(`/proc/${cluster.pidOf(CONTROLLER) ?? 0}/status`, 'utf8');
  const field = (name: string): string =>
    ((Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]) * 1024) / 1e6).toFixed(0);
  return `${field('VmRSS')} (highest ${field('VmHWM')})`;
}
