import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { recoverTree } from '../../../cli/output/write-tree.js';

const MAIN = join(import.meta.dirname, '..', '..', '..', 'cli', 'main.ts');
const TSX = import.meta.resolve('tsx');
const KILLS = 20;
const AGENTS = 200;
/** Their files, one kustomization in each of three folders, and the index. */
const FILES = AGENTS + 4;

type Fleet = 'even' | 'odd';

let base: string;
let out: string;

/** The same agents with another image, so that every file of theirs changes from one fleet to the other. */
function fleetText(fleet: Fleet): string {
  return Array.from(
    { length: AGENTS },
    (_, index) => `---
apiVersion: hermes-gitops.dev/v1alpha1
kind: HermesAgent
metadata: { name: a${index}, namespace: lab }
spec:
  image: registry.example.net/hermes:${fleet}
  storage: { existingClaimName: home }
`,
  ).join('');
}

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'hermes-killed-'));
  mkdirSync(join(base, 'in'));
  mkdirSync(join(base, 'place'));
  out = join(base, 'place', 'dist');
  for (const fleet of ['even', 'odd'] as const) writeFileSync(join(base, 'in', `${fleet}.yaml`), fleetText(fleet));
});

afterAll(() => {
  rmSync(base, { recursive: true, force: true });
});

function synth(fleet: Fleet): ChildProcess {
  return spawn(process.execPath, ['--import', TSX, MAIN, 'synth', join('in', `${fleet}.yaml`), '-o', out], {
    cwd: base,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, XDG_CACHE_HOME: join(base, 'cache') },
  });
}

/** Resolves when something appears beside the output: synth has begun to write. */
async function writing(): Promise<void> {
  const watcher = watch(join(base, 'place'));
  await once(watcher, 'change');
  watcher.close();
}

/** What the tree is now: its fleet, or whatever else it holds. */
function look(): string {
  const files = readdirSync(out, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const texts = files.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
  const tags = new Set(texts.flatMap((text) => /hermes:(even|odd)/.exec(text)?.[1] ?? []));
  return files.length === FILES ? [...tags].sort().join(' and ') : `${files.length} files`;
}

it('leaves the old tree or the new one, whenever it is killed while it writes', async () => {
  await once(synth('even'), 'exit');
  const whole = synth('odd');
  await writing();
  const startedAt = performance.now();
  await once(whole, 'exit');
  const phase = performance.now() - startedAt;
  expect(look()).toBe('odd');

  const states: string[] = [];
  let halfBuilt = 0;
  for (let kill = 0; kill < KILLS; kill += 1) {
    const child = synth(states.at(-1) === 'even' ? 'odd' : 'even');
    const exited = once(child, 'exit');
    await Promise.race([writing(), exited]);
    await Promise.race([sleep((phase * kill) / KILLS), exited]);
    child.kill('SIGKILL');
    await exited;
    if (readdirSync(join(base, 'place')).some((entry) => entry.includes('-new-'))) halfBuilt += 1;
    // Between two renames there is neither; then both are beside, whole, and the next run puts one in its place.
    if (!existsSync(out)) recoverTree(out);
    states.push(look());
  }
  expect(states.filter((state) => state !== 'even' && state !== 'odd')).toEqual([]);
  // Else no kill hit synth while it wrote, and nothing was shown.
  expect(halfBuilt).toBeGreaterThan(0);
  await once(synth(states.at(-1) === 'even' ? 'odd' : 'even'), 'exit');
  expect(readdirSync(join(base, 'place'))).toEqual(['dist']);
});
