import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const MAIN = join(import.meta.dirname, '..', '..', '..', 'cli', 'main.ts');
const NODE = [process.execPath, '--import', import.meta.resolve('tsx'), MAIN];
const NOBODY = 65534;

const agent = (name: string): string => `---
apiVersion: hermes-gitops.dev/v1alpha1
kind: HermesAgent
metadata: {name: ${name}, namespace: lab}
spec:
  image: registry.example.net/hermes:v1
  storage: {existingClaimName: home}
`;

let base: string;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'hermes-places-'));
  chmodSync(base, 0o755);
  mkdirSync(join(base, 'in'));
  writeFileSync(join(base, 'in', 'mia.yaml'), agent('mia'));
});

afterEach(() => {
  if (existsSync(join(base, 'small'))) spawnSync('umount', [join(base, 'small')]);
  rmSync(base, { recursive: true, force: true });
});

interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function synth(args: readonly string[], before: readonly string[] = []): Outcome {
  const [program = '', ...rest] = [...before, ...NODE, 'synth', ...args];
  const { status, stdout, stderr } = spawnSync(program, rest, {
    cwd: base,
    encoding: 'utf8',
    env: { ...process.env, XDG_CACHE_HOME: join(base, '.cache'), TSX_DISABLE_CACHE: '1' },
  });
  return { code: status, out: stdout, err: stderr };
}

/** All files below a folder. */
function found(folder: string): Record<string, string> {
  const path = join(base, folder);
  return Object.fromEntries(
    readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((file) => [file.slice(path.length + 1), readFileSync(file, 'utf8')]),
  );
}

const isRoot = process.getuid?.() === 0;

describe.skipIf(!isRoot || spawnSync('setpriv', ['--version']).status !== 0)('a user without rights', () => {
  const nobody = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];

  it('hears of every file and folder that it may not read, and writes nothing', () => {
    writeFileSync(join(base, 'in', 'zoe.yaml'), agent('zoe'), { mode: 0 });
    mkdirSync(join(base, 'in', 'locked'), { mode: 0 });
    expect(synth(['in', '-o', 'out'], nobody)).toEqual({
      code: 3,
      out: '',
      err: 'error: cannot read in/locked: permission denied\nerror: cannot read in/zoe.yaml: permission denied\n',
    });
    expect(existsSync(join(base, 'out'))).toBe(false);
  });

  it.each([
    ['that is not there', false],
    ['that is there', true],
  ])('hears of an output folder %s and may not be written to', (_, exists) => {
    if (exists) mkdirSync(join(base, 'out'));
    expect(synth(['in', '-o', 'out'], nobody)).toEqual({
      code: 3,
      out: '',
      err: `error: cannot write ${join(base, 'out')}: permission denied\n`,
    });
    expect(exists ? found('out') : {}).toEqual({});
  });

  it('writes to a folder of its own inside of one that is not', () => {
    mkdirSync(join(base, 'out'));
    chownSync(join(base, 'out'), NOBODY, NOBODY);
    expect(synth(['in', '-o', 'out'], nobody).code).toBe(0);
    writeFileSync(join(base, 'in', 'mia.yaml'), agent('zoe'));
    expect(synth(['in', '-o', 'out', '--prune'], nobody)).toMatchObject({ code: 0, err: '' });
    expect(Object.keys(found('out'))).toEqual([
      '.hermes-gitops-index.json',
      'kustomization.yaml',
      'lab/agents/kustomization.yaml',
      'lab/agents/zoe.yaml',
      'lab/kustomization.yaml',
    ]);
    expect(readdirSync(base).sort()).toEqual(['in', 'out']);
  });
});

function mount(folder: string): boolean {
  mkdirSync(folder, { recursive: true });
  return isRoot && spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder]).status === 0;
}

function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-mount-'));
  const can = mount(folder);
  if (can) spawnSync('umount', [folder]);
  rmSync(folder, { recursive: true });
  return can;
}

describe.skipIf(!canMount())('a file system of its own', () => {
  beforeEach(() => {
    mount(join(base, 'small'));
  });

  it.each([
    ['the output', 'small'],
    ['around the output', 'small/out'],
  ])('keeps the old tree when it is full: %s', (_, out) => {
    expect(synth(['in', '-o', out]).code).toBe(0);
    const before = found(out);
    writeFileSync(join(base, 'many.yaml'), Array.from({ length: 40 }, (_item, index) => agent(`a${index}`)).join(''));
    expect(synth(['many.yaml', '-o', out])).toMatchObject({
      code: 3,
      err: expect.stringMatching(/error: cannot write \S+: no space left\n$/) as string,
    });
    expect(found(out)).toEqual(before);
    expect(synth(['in', '-o', out, '--check']).code).toBe(0);
  });
});

describe('many synths at once', () => {
  it('leave the tree of one of them, and all succeed', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    for (const name of names) writeFileSync(join(base, `${name}.yaml`), agent(name) + agent(`${name}2`));
    const [program = '', ...rest] = NODE;
    const children = names.map((name) =>
      spawn(program, [...rest, 'synth', `${name}.yaml`, '-o', 'out', '--prune'], {
        cwd: base,
        stdio: 'ignore',
        env: { ...process.env, XDG_CACHE_HOME: join(base, '.cache') },
      }),
    );
    const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0] as unknown));
    expect(codes).toEqual(names.map(() => 0));
    const agents = Object.keys(found('out')).filter((path) => /agents\/.\d?\.yaml$/.test(path));
    const [last = ''] = agents;
    const winner = last.slice('lab/agents/'.length, 'lab/agents/'.length + 1);
    expect(names).toContain(winner);
    expect(agents).toEqual([`lab/agents/${winner}.yaml`, `lab/agents/${winner}2.yaml`]);
    expect(synth([`${winner}.yaml`, '-o', 'out', '--check']).code).toBe(0);
    expect(readdirSync(base).filter((entry) => entry.includes('hermes-gitops'))).toEqual([]);
  });
});
