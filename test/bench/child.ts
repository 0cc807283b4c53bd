import { spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What a finished process cost. */
export interface Cost {
  readonly seconds: number;
  /** Of all threads together: what the process took, however busy the machine was. */
  readonly cpuSeconds: number;
  /** Largest resident set, in MB of 1,000,000 bytes. */
  readonly megabytes: number;
}

/** Writes what the process used at its exit: only the process itself knows it for sure. */
const HOOK =
  'data:text/javascript,import{writeFileSync}from"node:fs";' +
  'process.on("exit",()=>writeFileSync(process.env.BENCH_USAGE,JSON.stringify(process.resourceUsage())))';

/** Runs a Node program to its end and measures it from outside. Rejects when it fails. */
export async function measure(args: readonly string[]): Promise<Cost> {
  const file = join(tmpdir(), `hermes-gitops-bench-${process.pid}-${Date.now()}`);
  const startedAt = performance.now();
  await new Promise<void>((resolve, reject) => {
    const child = spawn(process.execPath, ['--import', HOOK, ...args], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, BENCH_USAGE: file },
    });
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${args.join(' ')} failed: ${errors}`));
    });
  });
  const seconds = (performance.now() - startedAt) / 1000;
  const usage = JSON.parse(await readFile(file, 'utf8')) as NodeJS.ResourceUsage;
  await rm(file, { force: true });
  return {
    seconds,
    cpuSeconds: (usage.userCPUTime + usage.systemCPUTime) / 1e6,
    megabytes: (usage.maxRSS * 1024) / 1e6,
  };
}

/** The run in the middle of several, by time. */
export async function median(runs: number, run: () => Promise<Cost>): Promise<Cost> {
  const costs: [Cost, ...Cost[]] = [await run()];
  for (let index = 1; index < runs; index++) costs.push(await run());
  costs.sort((a, b) => a.seconds - b.seconds);
  return costs[Math.floor(costs.length / 2)] ?? costs[0];
}
