import type { KubeClient } from '../cluster/client.js';
import { waitFor } from '../cluster/wait.js';
import { ARGO_MARK, RunsOnBed } from './runs-on-bed.js';

/**
 * Runs that make a controller use every right that it has for runs: one that is deleted after its TTL, one that is
 * stopped, and two Sandboxes that are deleted by hand, one of which an engine declares. Needs the CRD of Sandboxes.
 */
export async function useEveryRightForRuns(client: KubeClient, namespace: string): Promise<void> {
  const runs = new RunsOnBed(client, namespace);
  await runs.start('reaped', { spec: { ttlSecondsAfterFinished: 0 } });
  await runs.start('stuck', { pod: 'image-pull-back-off' });
  await runs.startSandbox('boxed');
  await runs.startSandbox('halted', { annotations: ARGO_MARK });
  await runs.gone('reaped');
  await runs.reach('stuck', 'Failed');
  await waitFor(async () => (await specOf(client, runs.jobPath('stuck')))['suspend'] === true, {
    what: 'a stopped Job',
  });
  for (const name of ['boxed', 'halted']) {
    await runs.reach(name, 'Pending');
    await client.delete(runs.path(name));
    await waitFor(async () => (await client.find(runs.path(name))) === undefined, { what: `${name} to go` });
  }
  await waitFor(async () => (await client.find(runs.sandboxPath('boxed'))) === undefined, {
    what: 'a deleted Sandbox',
  });
  await waitFor(async () => (await specOf(client, runs.sandboxPath('halted')))['operatingMode'] === 'Suspended', {
    what: 'a stopped Sandbox',
  });
}

async function specOf(client: KubeClient, path: string): Promise<Readonly<Record<string, unknown>>> {
  return (await client.get(path))['spec'] as Readonly<Record<string, unknown>>;
}
