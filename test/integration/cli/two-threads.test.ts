import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { renderFiles } from '../../../lib/fleet/render-files.js';
import { AGENT_FILE, RUN_FILE } from '../../support/runs-in-files.js';
import { scratchFolder } from '../../support/scratch-folder.js';

const CLI = join(import.meta.dirname, '..', '..', '..', 'build', 'cli', 'main.js');
const AGENTS = 800;
const DEFAULTS = { flux: true, controllerNamespace: 'hermes-gitops-system' };

const folder = scratchFolder();
const fileName = (index: number): string => `agent-${String(index).padStart(3, '0')}.yaml`;

function putFleet(): void {
  for (let index = 0; index < AGENTS; index++)
    folder.put(`in/${fileName(index)}`, AGENT_FILE.replace('name: mia', `name: mia-${index}`));
}

interface Outcome {
  readonly code: number | null;
  readonly err: string;
  /** Threads that have run. */
  readonly threads: number;
}

function synth(): Outcome {
  const profiles = join(folder.path, 'profiles');
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--cpu-prof', `--cpu-prof-dir=${profiles}`, CLI, 'synth', 'in', '-o', 'out'],
    { cwd: folder.path, encoding: 'utf8' },
  );
  return { code: status, err: stderr, threads: readdirSync(profiles).length };
}

/** What lies below a folder, as text by path. */
function filesBelow(root: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((path) => [path.slice(root.length + 1), readFileSync(path, 'utf8')]),
  );
}

it('renders a large fleet on two threads to the very bytes that one gives', () => {
  putFleet();
  folder.put('in/a-run.yaml', RUN_FILE.replace('{name: mia}', `{name: mia-${AGENTS - 1}}`));
  folder.put('in/z-run.yaml', RUN_FILE.replace('sum-1', 'sum-2').replace('{name: mia}', '{name: mia-0}'));
  expect(synth()).toEqual({ code: 0, err: '', threads: 2 });
  const names = readdirSync(join(folder.path, 'in')).sort();
  const files = names.map((name) => ({ name: `in/${name}`, bytes: readFileSync(join(folder.path, 'in', name)) }));
  const alone = renderFiles(files, { allowedClusterRoles: [], allowedBindingNamespaces: [], ...DEFAULTS }, DEFAULTS);
  expect(alone.agents).toBe(AGENTS);
  const want = [...alone.files].map(([path, content]) => [path, Buffer.from(content).toString('utf8')] as const);
  expect(filesBelow(join(folder.path, 'out'))).toEqual(Object.fromEntries(want));
}, 120_000);

it('names every mistake in the order of the files, whichever thread met it', () => {
  putFleet();
  for (const index of [0, 400, AGENTS - 1])
    folder.put(`in/${fileName(index)}`, AGENT_FILE.replace('name: mia', `name: bad-${index}`).replace(':v1', ': v1'));
  folder.put('in/z-again.yaml', AGENT_FILE.replace('name: mia', 'name: mia-1'));
  const { code, err, threads } = synth();
  expect({ code, threads }).toEqual({ code: 1, threads: 2 });
  expect(err.split('\n').flatMap((line) => /^(in\/\S+:\d+:\d+): error/.exec(line)?.[1] ?? [])).toEqual([
    'in/agent-000.yaml:5:10',
    'in/agent-400.yaml:5:10',
    'in/agent-799.yaml:5:10',
    'in/z-again.yaml:3:18',
  ]);
  expect(readdirSync(folder.path).sort()).toEqual(['in', 'profiles']);
}, 120_000);
