import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { recoverTree } from '../../../cli/output/write-tree.js';

const KILLS = 20;

/** The distinct contents of a tree, and how many files it has. */
function look(out: string): string {
  const folder = join(out, 'lab', 'agents');
  const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8').split('\n')[1]);
  return `${texts.length} × ${[...new Set(texts)].sort().join(' and ')}`;
}

it('leaves the old tree or the new one, whenever it is killed', async () => {
  const base = mkdtempSync(join(tmpdir(), 'hermes-killed-'));
  const out = join(base, 'dist');
  const seen = new Map<string, number>();
  try {
    for (let kill = 0; kill < KILLS; kill += 1) {
      const child = spawn(
        process.execPath,
        ['--import', 'tsx', join(import.meta.dirname, 'replace-endlessly.ts'), out],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      );
      await once(child.stdout, 'data');
      // Another moment each time: 7 and 61 have no common factor.
      await sleep((kill * 7) % 61);
      child.kill('SIGKILL');
      await once(child, 'exit');
      // Between two renames there is neither; then both are beside, whole, and the next run puts one in its place.
      if (!existsSync(out)) recoverTree(out);
      const state = look(out);
      seen.set(state, (seen.get(state) ?? 0) + 1);
    }
    expect([...seen.keys()].filter((state) => state !== '40 × even' && state !== '40 × odd')).toEqual([]);
    recoverTree(out);
    expect(readdirSync(base)).toEqual(['dist']);
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
});
