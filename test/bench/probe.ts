import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { askPod } from '../../controller/probe/exchange.js';
import { DashboardProber } from '../../controller/probe/prober.js';
import type { ProbeTarget } from '../../controller/probe/target.js';
import { agentIdentity, agentManifest } from './fleet.js';

const INTERVAL_MS = 30_000;
const SERVER = fileURLToPath(new URL('./dashboard-server.ts', import.meta.url));

/** Probes the dashboards of so many agents for two rounds, with one change between them. */
export async function benchProbe(agents: number, say: (line: string) => void): Promise<void> {
  const server = spawn(process.execPath, ['--import', 'tsx', SERVER], { stdio: ['pipe', 'pipe', 'inherit'] });
  try {
    const [address] = (await once(createInterface(server.stdout), 'line')) as [string];
    const change = (): void => {
      server.stdin.write('\n');
    };
    say(`probe: ${agents} dashboards, two rounds`);
    await run({ agents, address, change, say });
  } finally {
    server.stdin.end();
  }
}

interface Run {
  readonly agents: number;
  readonly address: string;
  readonly change: () => void;
  readonly say: (line: string) => void;
}

async function run({ agents, address, change, say }: Run): Promise<void> {
  const targets = new Map(Array.from({ length: agents }, (_, index) => [String(index), targetOf(index, address)]));
  const perSecond: number[] = Array.from({ length: (2 * INTERVAL_MS) / 1000 }, () => 0);
  const news = new Map<string, number>();
  let failed = 0;
  const began = performance.now();
  const prober = new DashboardProber({
    find: (key) => targets.get(key),
    ask: (target, signal) => {
      const second = Math.floor((performance.now() - began) / 1000);
      perSecond[second] = (perSecond[second] ?? 0) + 1;
      return askPod(target, signal);
    },
    onChange: (key) => news.set(key, (news.get(key) ?? 0) + 1),
    onAnswer: () => undefined,
    counter: { begin: () => undefined, end: () => undefined, failed: () => failed++ },
    now: () => Date.now(),
    intervalMs: INTERVAL_MS,
  });
  const before = process.memoryUsage.rss();
  const cpu = process.cpuUsage();
  for (const key of targets.keys()) prober.observe(key);
  await pause(INTERVAL_MS);
  change();
  // The longest interval, jitter included, and the time of one exchange.
  await pause(1.1 * INTERVAL_MS + 2000);
  prober.stop();
  const { user, system } = process.cpuUsage(cpu);
  const seconds = perSecond.slice(0, 60);
  const total = seconds.reduce((sum, count) => sum + count, 0);
  say(`  ${total} probes in 60 s, from ${Math.min(...seconds)} to ${Math.max(...seconds)} a second; ${failed} failed`);
  say(
    `  news: at least ${Math.min(...news.values())} and at most ${Math.max(...news.values())} an agent, for one change`,
  );
  const share = (user + system) / 1000 / (performance.now() - began);
  say(
    `  CPU: ${(share * 100).toFixed(1)} % of a core; resident: ${megabytes(process.memoryUsage.rss())} MB, at the start ${megabytes(before)} MB`,
  );
}

function targetOf(index: number, address: string): ProbeTarget {
  const { name, namespace } = agentIdentity(index);
  const { spec } = agentManifest(index) as { spec: unknown };
  const metadata = { name, namespace, uid: name, generation: 1, resourceVersion: '1', creationTimestamp: '' };
  const pod = { uid: `${name}-pod`, name: `${name}-pod`, createdAt: 0, isReady: true, address };
  return { agent: { metadata, spec }, gateways: ['discord', 'telegram'], pod };
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0);
}
