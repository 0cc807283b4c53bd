import { setTimeout as pause } from 'node:timers/promises';
import type { Cluster } from '../cluster/cluster.js';
import { requestsOf } from './audit.js';

const WINDOW_MS = 120_000;
/** Until the last answer to a change is written. */
const CALM_MS = 5000;

/** What a settled fleet costs the API server in two minutes, watches apart: a resolved Secret is read every five. */
export async function benchRest(cluster: Cluster, say: (line: string) => void): Promise<void> {
  await pause(CALM_MS);
  const before = (await requestsOf(cluster.auditLog)).length;
  await pause(WINDOW_MS);
  const made = (await requestsOf(cluster.auditLog)).slice(before);
  const counts = new Map<string, number>();
  for (const { verb, resource } of made) {
    if (verb === 'watch') continue;
    const key = `${verb} ${resource}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const told = [...counts].sort().map(([key, count]) => `${count} × ${key}`);
  say(`  settled, in ${WINDOW_MS / 1000} s beside watches: ${told.length === 0 ? 'no request' : told.join(', ')}`);
}
