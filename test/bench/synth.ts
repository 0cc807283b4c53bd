import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { best, measure, type Cost } from './child.js';
import { writeFleet } from './fleet.js';

const CLI = new URL('../../build/cli/main.js', import.meta.url).pathname;
const PLAIN_APP = new URL('plain-app.ts', import.meta.url).pathname;
const COMPARED = 1000;

/** Synth of fleets of these sizes, and beside it one plain cdk8s App. */
export async function benchSynth(sizes: readonly number[], say: (line: string) => void): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-gitops-bench-'));
  try {
    say('synth: agents, seconds, seconds per 1,000 agents, MB; again with nothing changed');
    const first = new Map<number, Cost>();
    for (const size of sizes) {
      const [input, output] = [join(folder, `in-${size}`), join(folder, `out-${size}`)];
      await writeFleet(input, size);
      const cost = await best(3, async () => {
        await rm(output, { recursive: true, force: true });
        return measure([CLI, 'synth', input, '-o', output]);
      });
      const again = await best(3, () => measure([CLI, 'synth', input, '-o', output]));
      first.set(size, cost);
      const ratio = (cost.seconds / again.seconds).toFixed(1);
      say(`  ${row(size, cost)}; ${again.seconds.toFixed(2)} s, ${ratio} times as fast`);
    }
    await comparePlain(folder, first.get(COMPARED), say);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function comparePlain(folder: string, ours: Cost | undefined, say: (line: string) => void): Promise<void> {
  if (ours === undefined) return;
  const tsx = createRequire(import.meta.url).resolve('tsx');
  const plain = await measure(['--import', tsx, PLAIN_APP, String(COMPARED), join(folder, 'plain')]);
  const ratio = (plain.seconds / ours.seconds).toFixed(1);
  say(`one plain cdk8s App of ${COMPARED} agents: ${plain.seconds.toFixed(2)} s; synth is ${ratio} times as fast`);
}

function row(size: number, { seconds, megabytes }: Cost): string {
  const perThousand = (seconds / size) * 1000;
  return `${String(size).padStart(6)}  ${seconds.toFixed(2)} s  ${perThousand.toFixed(2)} s  ${megabytes.toFixed(0)} MB`;
}
