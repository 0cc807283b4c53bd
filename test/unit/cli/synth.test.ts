import { readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { IoError, UsageError } from '../../../cli/exit-codes.js';
import { synth, type SynthOptions } from '../../../cli/synth.js';
import { validate } from '../../../cli/validate.js';
import { recordingPrinter } from '../../support/recording-printer.js';
import { scratchFolder } from '../../support/scratch-folder.js';
import { SYNTH_DEFAULTS } from '../../support/synth-defaults.js';

const folder = scratchFolder();
const { put } = folder;

interface Outcome {
  readonly code: number;
  readonly out: string[];
  readonly err: string[];
}

async function run(
  options: Partial<SynthOptions> = {},
  verb: typeof synth | typeof validate = synth,
): Promise<Outcome> {
  const { out, err, printer } = recordingPrinter();
  return { code: await verb({ inputs: ['agents'], ...SYNTH_DEFAULTS, ...options }, printer, folder.path), out, err };
}

function agent(name: string, spec = '', namespace = 'lab'): string {
  return `apiVersion: hermes-gitops.dev/v1alpha1
kind: HermesAgent
metadata:
  name: ${name}
${namespace === '' ? '' : `  namespace: ${namespace}\n`}spec:
  image: registry.example.net/hermes:v1
  storage:
    existingClaimName: home
${spec}`;
}

function written(): string[] {
  return readdirSync(join(folder.path, 'dist'), { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(folder.path, 'dist', path)).isFile())
    .sort();
}

describe('synth', () => {
  it('renders, says so, and changes nothing the second time', async () => {
    put('agents/mia.yaml', agent('mia'));
    expect(await run()).toEqual({ code: 0, out: ['1 agent in dist: 5 files written, 0 unchanged'], err: [] });
    expect(written()).toEqual([
      '.hermes-gitops-index.json',
      'kustomization.yaml',
      'lab/agents/kustomization.yaml',
      'lab/agents/mia.yaml',
      'lab/kustomization.yaml',
    ]);
    const before = statSync(join(folder.path, 'dist/lab/agents/mia.yaml')).mtimeMs;
    expect(await run()).toEqual({ code: 0, out: ['1 agent, nothing changed in dist'], err: [] });
    expect(statSync(join(folder.path, 'dist/lab/agents/mia.yaml')).mtimeMs).toBe(before);
  });

  it('says warnings again when nothing changed', async () => {
    put('agents/mia.yaml', agent('mia').replace(':v1\n', ':latest\n'));
    const first = await run();
    expect(first.err).toHaveLength(1);
    expect(first.err[0]).toMatch(/^agents\/mia\.yaml:7:10: warning: spec\.image: /);
    expect((await run()).err).toEqual(first.err);
  });

  it.each([
    ['an output file', 'dist/lab/agents/mia.yaml'],
    ['a list', 'dist/lab/kustomization.yaml'],
  ])('repairs %s that was edited by hand, whatever it remembers', async (_, path) => {
    put('agents/mia.yaml', agent('mia'));
    await run();
    const good = readFileSync(join(folder.path, path), 'utf8');
    put(path, `${good}# edited\n`);
    expect((await run({ check: true })).code).toBe(1);
    expect((await run()).code).toBe(0);
    expect(readFileSync(join(folder.path, path), 'utf8')).toBe(good);
  });

  it('does not answer from memory when an option changed', async () => {
    put('agents/mia.yaml', agent('mia', '  env:\n    - name: A\n      value: ${B}\n'));
    await run();
    expect(readFileSync(join(folder.path, 'dist/lab/agents/mia.yaml'), 'utf8')).not.toContain('substitute: disabled');
    expect((await run({ flux: true })).code).toBe(0);
    expect(readFileSync(join(folder.path, 'dist/lab/agents/mia.yaml'), 'utf8')).toContain('substitute: disabled');
  });

  it('reports all errors of all files with their places, and writes nothing', async () => {
    put('agents/a.yaml', agent('mia', '  enviroment: []\n  env:\n    - name: A\n      value: 0123\n'));
    put('agents/b/b.yaml', agent('Bot', '  suspend: "yes"\n'));
    put('agents/good.yaml', agent('good'));
    const { code, out, err } = await run();
    expect(code).toBe(1);
    expect(out).toEqual([]);
    expect(err.map((line) => /^(\S+): error: (\S+):/.exec(line)?.slice(1))).toEqual([
      ['agents/a.yaml:10:3', 'spec.enviroment'],
      ['agents/a.yaml:13:14', 'spec.env[0].value'],
      ['agents/b/b.yaml:4:9', 'metadata.name'],
      ['agents/b/b.yaml:10:12', 'spec.suspend'],
    ]);
    expect(readdirSync(folder.path)).toEqual(['agents']);
  });

  it('names both files of one agent', async () => {
    put('agents/a.yaml', agent('mina'));
    put('agents/b.yaml', agent('mina'));
    expect((await run()).err).toEqual([
      'agents/b.yaml:4:9: error: metadata.name: lab/mina is already written in agents/a.yaml:4:9 (give one of them another name or namespace, or remove it)',
    ]);
    expect((await run()).code).toBe(1);
  });

  it('keeps agents of one name in two namespaces apart', async () => {
    put('agents/a.yaml', `${agent('mina')}---\n${agent('mina', '', 'prod')}`);
    expect((await run()).code).toBe(0);
    expect(written().filter((path) => path.endsWith('mina.yaml'))).toEqual([
      'lab/agents/mina.yaml',
      'prod/agents/mina.yaml',
    ]);
  });

  it('asks for a namespace, or takes the given one everywhere', async () => {
    put('agents/a.yaml', agent('mia', '', ''));
    expect((await run()).code).toBe(1);
    expect((await run({ namespace: 'ops' })).code).toBe(0);
    const text = readFileSync(join(folder.path, 'dist/ops/agents/mia.yaml'), 'utf8');
    const objects = text.split('---\n').slice(1);
    expect(objects).toHaveLength(6);
    for (const object of objects) expect(object).toMatch(/^ {2}namespace: ops$/m);
    expect(text).toContain('    name: hermes-mia\n    namespace: ops\n');
    expect(text).toContain('hermes-gitops.dev/agent-namespace: ops');
  });

  it('skips other kinds with a note and copies nothing of them', async () => {
    put('agents/a.yaml', `kind: Secret\napiVersion: v1\nstringData: {k: hunter2}\n---\n${agent('mia')}`);
    expect((await run()).err).toEqual(['note: agents/a.yaml: skipped Secret']);
    for (const path of written())
      expect(readFileSync(join(folder.path, 'dist', path), 'utf8')).not.toContain('hunter2');
  });

  it.each([
    ['an unknown version of our group', 'apiVersion: hermes-gitops.dev/v1\nkind: HermesAgent\nmetadata: {name: a}\n'],
    ['an unknown kind of our group', 'apiVersion: hermes-gitops.dev/v1alpha1\nkind: HermesAgnet\n'],
    ['an agent of a mistyped group', 'apiVersion: hermes-gitop.dev/v1alpha1\nkind: HermesAgent\n'],
  ])('does not skip %s', async (_, text) => {
    put('agents/a.yaml', text);
    expect((await run()).code).toBe(1);
  });

  it('is an error of input and output when something cannot be read', async () => {
    put('agents/a.yaml', agent('mia'));
    await expect(run({ inputs: ['agents', 'gone.yaml', 'away'] })).rejects.toThrow(
      new IoError('cannot read gone.yaml: no such file or folder\ncannot read away: no such file or folder'),
    );
  });

  it.each([
    ['the output itself', ['agents'], 'agents'],
    ['a file in the output', ['agents/a.yaml'], 'agents'],
    ['a folder above', ['agents'], '.'],
    ['a link to the output', ['agents'], 'link'],
  ])('does not take its inputs from %s', async (_, inputs, output) => {
    put('agents/a.yaml', agent('mia'));
    symlinkSync('agents', join(folder.path, 'link'));
    await expect(run({ inputs, output })).rejects.toThrow(UsageError);
    expect(readdirSync(join(folder.path, 'agents'))).toEqual(['a.yaml']);
  });

  it('may write below its inputs, which are the same the next time', async () => {
    put('agents/a.yaml', agent('mia'));
    const options = { inputs: ['.'], output: 'dist' };
    expect([
      (await run(options)).code,
      (await run({ ...options, check: true })).code,
      (await run(options)).code,
    ]).toEqual([0, 0, 0]);
  });

  it('writes nothing over what others wrote', async () => {
    put('agents/a.yaml', agent('mia'));
    put('dist/kustomization.yaml', 'resources: [mine]\n');
    const { code, err } = await run();
    expect([code, err]).toEqual([
      1,
      ['dist/kustomization.yaml: error: was not written by hermes-gitops and is in the way'],
    ]);
    expect(written()).toEqual(['kustomization.yaml']);
  });
});

describe('synth --prune', () => {
  it('removes what is rendered no more, and only that', async () => {
    put('agents/a.yaml', agent('mia'));
    put('agents/b.yaml', agent('zoe', '', 'prod'));
    await run();
    put('dist/NOTES.md', 'mine');
    rmSync(join(folder.path, 'agents/b.yaml'));
    expect((await run()).err).toEqual([
      'note: prod/agents/kustomization.yaml: not rendered any more; --prune removes it',
      'note: prod/agents/zoe.yaml: not rendered any more; --prune removes it',
      'note: prod/kustomization.yaml: not rendered any more; --prune removes it',
    ]);
    expect(written()).toContain('prod/agents/zoe.yaml');
    expect((await run({ prune: true })).out).toEqual(['1 agent in dist: 2 files written, 4 unchanged, 2 removed']);
    expect(written()).toEqual([
      '.hermes-gitops-index.json',
      'NOTES.md',
      'kustomization.yaml',
      'lab/agents/kustomization.yaml',
      'lab/agents/mia.yaml',
      'lab/kustomization.yaml',
      'prod/agents/kustomization.yaml',
    ]);
  });

  it('leaves an empty list where an engine looks for agents, until somebody removes it', async () => {
    put('agents/a.yaml', agent('mia'));
    put('agents/b.yaml', agent('zoe', '', 'prod'));
    await run();
    rmSync(join(folder.path, 'agents/b.yaml'));
    await run({ prune: true });

    expect(readFileSync(join(folder.path, 'dist/prod/agents/kustomization.yaml'), 'utf8')).toMatch(
      /\nkind: Kustomization\nresources: \[\]\n$/,
    );
    for (const options of [{ check: true, prune: true }, { check: true }, {}]) {
      expect(await run(options)).toMatchObject({ code: 0, err: [] });
    }
    rmSync(join(folder.path, 'dist/prod'), { recursive: true });
    expect((await run({ prune: true })).code).toBe(0);
    expect(written()).not.toContain('prod/agents/kustomization.yaml');
    expect(await run({ check: true, prune: true })).toMatchObject({ code: 0, err: [] });
  });

  it('does not empty the output because the input is empty', async () => {
    put('agents/a.yaml', agent('mia'));
    await run();
    put('agents/a.yaml', '# nothing\n');
    expect((await run({ prune: true })).code).toBe(1);
    expect(written()).toContain('lab/agents/mia.yaml');
  });
});

describe('synth --check', () => {
  it('changes nothing and shows what is out of date', async () => {
    put('agents/mia.yaml', agent('mia'));
    expect((await run({ check: true })).code).toBe(1);
    expect(readdirSync(folder.path)).toEqual(['agents']);
    await run();
    expect(await run({ check: true })).toEqual({ code: 0, out: ['1 agent, nothing changed in dist'], err: [] });
    put('agents/mia.yaml', agent('mia', '  suspend: true\n'));
    const stale = await run({ check: true });
    expect(stale.code).toBe(1);
    expect(stale.err).toEqual(['error: dist is out of date in 1 file; run synth']);
    expect(stale.out.join('\n')).toMatch(/^--- lab\/agents\/mia\.yaml\n\+\+\+ lab\/agents\/mia\.yaml\n@@ /);
    expect(stale.out.join('\n')).toContain('\n-  replicas: 1\n+  replicas: 0\n');
    expect(readFileSync(join(folder.path, 'dist/lab/agents/mia.yaml'), 'utf8')).toContain('replicas: 1\n');
  });
});

describe('validate', () => {
  it('judges as synth does and writes nothing', async () => {
    put('agents/a.yaml', agent('mina'));
    expect(await run({}, validate)).toEqual({ code: 0, out: ['1 agent valid'], err: [] });
    put('agents/b.yaml', agent('mina'));
    expect((await run({}, validate)).code).toBe(1);
    expect(readdirSync(folder.path)).toEqual(['agents']);
  });

  it('lets no input speak to the terminal or write a line of its own', async () => {
    put('agents/a.yaml', agent('mia', '  "x\\e[2J\\u202e\\nnote: fine": 1\n'));
    const { err } = await run({}, validate);
    expect(err).toHaveLength(1);
    expect(err[0]).toContain('x\\u001b[2J\\u202e\\u000anote: fine');
    const github = await run({ format: 'github' }, validate);
    expect(github.out).toHaveLength(1);
    expect(github.out[0]).not.toMatch(/[\u001b\u202e\n]/);
  });

  it('speaks to machines', async () => {
    put('agents/a.yaml', agent('mia', '  suspend: 1\n'));
    const github = await run({ format: 'github' }, validate);
    expect(github.out[0]).toMatch(/^::error file=agents\/a\.yaml,line=10,col=12,title=\w+::spec\.suspend: /);
    const json = await run({ format: 'json' }, validate);
    const { problems } = JSON.parse(json.out.join('\n')) as { readonly problems: readonly object[] };
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({
      severity: 'error',
      file: 'agents/a.yaml',
      line: 10,
      column: 12,
      path: 'spec.suspend',
    });
    expect([github.err, json.err]).toEqual([[], []]);
  });
});
