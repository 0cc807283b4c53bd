import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { measure, median, type Cost } from './child.js';
import { writeFleet } from './fleet.js';

const CLI = new URL('../../build/cli/main.js', import.meta.url).pathname;
const PLAIN_APP = new URL('plain-app.ts', import.meta.url).pathname;
const LIBRARY = new URL('../../build/lib/index.js', import.meta.url).pathname;
const CDK8S = fileURLToPath(import.meta.resolve('cdk8s'));
const COMPARED = 1000;

/** Synth of fleets of these sizes, and beside it one plain cdk8s App. Every figure is the median of three runs. */
export async function benchSynth(sizes: readonly number[], say: (line: string) => void): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-gitops-bench-'));
  try {
    say('synth: agents, seconds (of processor), MB; again with nothing changed');
    const first = new Map<number, Cost>();
    for (const size of sizes) {
      const [input, output] = [join(folder, `in-${size}`), join(folder, `out-${size}`)];
      await writeFleet(input, size);
      const cost = await median(3, async () => {
        await rm(output, { recursive: true, force: true });
        return measure([CLI, 'synth', input, '-o', output]);
      });
      const again = await median(3, () => measure([CLI, 'synth', input, '-o', output]));
      first.set(size, cost);
      say(`  ${row(size, cost)}; ${times(again)}, ${ratio(cost, again)}`);
    }
    sayMarginal(first, say);
    await comparePlain(folder, first.get(COMPARED), say);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * What each further agent costs from one size to the next. The first steps hold the start of the engine, which compiles
 * what it runs often; where that is done the steps agree when the time is linear.
 */
function sayMarginal(costs: ReadonlyMap<number, Cost>, say: (line: string) => void): void {
  let [former] = costs;
  let before: number | undefined;
  for (const [size, cost] of costs) {
    if (former !== undefined && size > former[0]) {
      const more = size - former[0];
      const wall = ((cost.seconds - former[1].seconds) / more) * 1000;
      const cpu = ((cost.cpuSeconds - former[1].cpuSeconds) / more) * 1000;
      const change = before === undefined ? '' : `, ${percent(cpu / before)} of the processor against the step before`;
      say(
        `  from ${former[0]} to ${size}: ${wall.toFixed(2)} ms (${cpu.toFixed(2)} ms) for each further agent${change}`,
      );
      before = cpu;
    }
    former = [size, cost];
  }
}

/**
 * The same agents as one plain cdk8s App that was compiled before, as synth was. Its agents are in memory already, while
 * synth reads them from files.
 */
async function comparePlain(folder: string, ours: Cost | undefined, say: (line: string) => void): Promise<void> {
  if (ours === undefined) return;
  const program = await compilePlainApp(folder);
  for (const charts of ['one-chart', 'chart-per-agent']) {
    const plain = await median(3, async () => {
      const output = join(folder, charts);
      await rm(output, { recursive: true, force: true });
      return measure([program, String(COMPARED), output, charts]);
    });
    say(`one plain cdk8s App of ${COMPARED} agents, ${charts}: ${times(plain)}; synth is ${ratio(plain, ours)}`);
  }
}

/** Links the built library and cdk8s as they are installed, so that only the program itself is packed. */
async function compilePlainApp(folder: string): Promise<string> {
  const outfile = join(folder, 'plain-app.mjs');
  await build({
    entryPoints: [PLAIN_APP],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    plugins: [
      {
        name: 'installed',
        setup(builder): void {
          builder.onResolve({ filter: /lib\/index\.js$/ }, () => ({ path: LIBRARY, external: true }));
          builder.onResolve({ filter: /^cdk8s$/ }, () => ({ path: CDK8S, external: true }));
        },
      },
    ],
  });
  return outfile;
}

function row(size: number, cost: Cost): string {
  return `${String(size).padStart(6)}  ${times(cost)}  ${cost.megabytes.toFixed(0)} MB`;
}

function percent(ratio: number): string {
  const change = Math.round((ratio - 1) * 100);
  return `${change < 0 ? '' : '+'}${change} %`;
}

function times({ seconds, cpuSeconds }: Cost): string {
  return `${seconds.toFixed(2)} s (${cpuSeconds.toFixed(2)} s)`;
}

function ratio(slow: Cost, fast: Cost): string {
  const [wall, cpu] = [slow.seconds / fast.seconds, slow.cpuSeconds / fast.cpuSeconds];
  return `${wall.toFixed(1)} (${cpu.toFixed(1)}) times as fast`;
}
