import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runTable, timeSpan } from '../../../cli/runs/list.js';
import { pruneRuns, pruneWith } from '../../../cli/runs/prune.js';
import { withoutDocuments } from '../../../cli/runs/remove-documents.js';
import { describeRun, outcomeOf, waitForRun } from '../../../cli/run/wait.js';
import { generatedName } from '../../../cli/run/create.js';
import { UsageError } from '../../../cli/exit-codes.js';
import { KubeStatusError } from '../../../controller/kube/errors.js';
import type { KubeApi } from '../../../controller/kube/client.js';

const T = '2026-11-29T12:00:00Z';
const succeeded = (status: 'True' | 'False' | 'Unknown', reason: string, message = ''): object => ({
  conditions: [{ type: 'Succeeded', status, reason, message, lastTransitionTime: T }],
});

describe('the outcome of a run', () => {
  it.each([
    ['nothing yet', undefined, '', undefined],
    [
      'pending',
      { phase: 'Pending', ...succeeded('Unknown', 'Unschedulable', '0/3 nodes') },
      'Pending: Unschedulable: 0/3 nodes',
      undefined,
    ],
    ['running', { phase: 'Running', ...succeeded('Unknown', 'Running') }, 'Running', undefined],
    ['success', { phase: 'Succeeded', ...succeeded('True', 'Succeeded') }, 'Succeeded', 0],
    [
      'a failure',
      { phase: 'Failed', ...succeeded('False', 'ImagePullBackOff', 'stuck') },
      'Failed: ImagePullBackOff: stuck',
      10,
    ],
    [
      'a limit of the agent',
      { phase: 'Failed', ...succeeded('False', 'LimitReached', 'exit code 2') },
      'Failed: LimitReached: exit code 2',
      11,
    ],
    ['a failure without a condition', { phase: 'Failed' }, 'Failed', 10],
  ] as const)('of %s', (_what, status, line, code) => {
    expect(describeRun(status as never)).toBe(line);
    expect(outcomeOf(status as never)).toBe(code);
  });

  it('is known at once of a run that is over before anybody looks', async () => {
    const metadata = { name: 'one', namespace: 'lab', uid: 'u', resourceVersion: '1' };
    const api = {
      now: () => 0,
      request: () => Promise.resolve({ metadata, status: { phase: 'Succeeded' } }),
      stream: () => new Promise<never>(() => undefined),
    };
    const lines: string[] = [];
    expect(await waitForRun(api, metadata, 0, (line) => lines.push(line))).toBe(0);
    expect(lines).toEqual(['Succeeded']);
  });

  it('has a name that fits, for the longest agent', () => {
    const name = generatedName('a'.repeat(46));
    expect(name).toMatch(/^a{46}-[a-z0-9]{5}$/);
    expect(generatedName('a')).not.toBe(generatedName('a'));
  });
});

describe('runs list', () => {
  it('shows runs as kubectl does', () => {
    const run = (namespace: string, name: string, rest: object): never =>
      ({ metadata: { namespace, name, creationTimestamp: T }, ...rest }) as never;
    const table = runTable(
      [
        run('lab', 'sum-2', { spec: { image: 'a' } }),
        run('lab', 'sum-1', {
          spec: { agentRef: { name: 'mia' } },
          status: { phase: 'Succeeded', duration: 95, ...succeeded('True', 'Succeeded') },
        }),
      ],
      Date.parse(T) + 3 * 3600_000,
    );
    expect(table.split('\n')).toEqual([
      'NAMESPACE   NAME    AGENT   PHASE       REASON      AGE   DURATION',
      'lab         sum-1   mia     Succeeded   Succeeded   3h    95s',
      'lab         sum-2                                   3h',
    ]);
  });

  it.each([
    [-1, '0s'],
    [0, '0s'],
    [119, '119s'],
    [120, '2m'],
    [7199, '119m'],
    [7200, '2h'],
    [172799, '47h'],
    [172800, '2d'],
  ])('takes %d s for %s', (seconds, want) => {
    expect(timeSpan(seconds)).toBe(want);
  });
});

const SILENT = { out: (): void => undefined, err: (): void => undefined };

const isRun = (value: unknown): boolean => (value as { kind?: string }).kind === 'AgentRun';

describe('documents that are taken out of a file', () => {
  it.each([
    ['alone', 'kind: AgentRun\n', undefined, 1],
    ['with a comment before it', '# mine\n---\nkind: AgentRun\n', undefined, 1],
    ['first', 'kind: AgentRun\n---\nkind: A\n', 'kind: A\n', 1],
    ['first behind a separator', '---\nkind: AgentRun\n---\nkind: A\n', '---\nkind: A\n', 1],
    ['in the middle', 'kind: A # a\n--- # x\nkind: AgentRun\n---\nkind:   B\n', 'kind: A # a\n---\nkind:   B\n', 1],
    ['first below a licence', '# (c)\n\nkind: AgentRun\n---\nkind: A\n', '# (c)\n\n---\nkind: A\n', 1],
    ['first with a licence inside', '---\n# (c)\nkind: AgentRun # x\n---\nkind: A\n', '# (c)\n---\nkind: A\n', 1],
    ['first below a line that is empty', '\nkind: AgentRun\n---\nkind: A\n', 'kind: A\n', 1],
    ['last', 'kind: A\n---\nkind: AgentRun\n', 'kind: A\n', 1],
    ['twice', 'kind: AgentRun\n---\nkind: AgentRun\n---\nkind: A', 'kind: A', 2],
    ['never', 'kind: A\n---\nkind: B\n', 'kind: A\n---\nkind: B\n', 0],
    ['with CRLF', 'kind: A\r\n---\r\nkind: AgentRun\r\n', 'kind: A\r\n', 1],
    [
      'beside a text with a line that looks like a separator',
      'kind: A\nx: |\n  ---\n  y\n---\nkind: AgentRun\n',
      'kind: A\nx: |\n  ---\n  y\n',
      1,
    ],
  ])('%s', (_what, text, left, removed) => {
    expect(withoutDocuments(text, isRun)).toEqual({ text: left, removed });
  });
});

describe('runs prune', () => {
  let base: string;
  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'hermes-prune-'));
  });
  afterEach(() => {
    rmSync(base, { recursive: true, force: true });
  });

  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), text);
  };
  const text = (name: string, more = ''): string =>
    `apiVersion: hermes-gitops.dev/v1alpha1\nkind: AgentRun\nmetadata: {name: ${name}, namespace: lab}\nspec: {image: a/b:v1, instructions: x${more}}\n`;

  /** A cluster with runs, by name: their phases. */
  const cluster = (phases: Readonly<Record<string, string>>): KubeApi => ({
    now: () => Date.parse(T),
    request: ({ path }) => {
      const name = path.slice(path.lastIndexOf('/') + 1);
      const phase = phases[name];
      if (phase === undefined)
        return Promise.reject(new KubeStatusError({ statusCode: 404, reason: 'NotFound', message: 'not found' }));
      const spec = { image: 'a/b:v1', instructions: 'x', workload: 'Job' };
      return Promise.resolve({ metadata: { name, namespace: 'lab' }, spec, status: { phase } });
    },
  });

  const prune = async (
    phases: Readonly<Record<string, string>>,
    options: { dryRun?: boolean } = {},
  ): Promise<{ code: number; out: string[]; err: string[] }> => {
    const out: string[] = [];
    const err: string[] = [];
    const printer = { out: (line: string) => out.push(line), err: (line: string) => err.push(line) };
    const code = await pruneWith(cluster(phases), { inputs: ['fleet'], dryRun: false, ...options }, printer, base);
    return { code, out, err };
  };

  it('removes what is over, and keeps what runs, waits, is unknown, or is another run of that name', async () => {
    put('fleet/one.yaml', text('one'));
    put(
      'fleet/many.yaml',
      `# kept\n${text('two')}---\n${text('three')}---\n${text('four')}---\n${text('five', ', activeDeadlineSeconds: 5')}`,
    );
    const outcome = await prune({ one: 'Succeeded', two: 'Running', three: 'Failed', five: 'Succeeded' });
    expect(outcome).toEqual({
      code: 0,
      out: [
        'fleet/many.yaml: removed run lab/three (Failed)',
        'fleet/one.yaml: removed run lab/one (Succeeded)',
        'run synth --prune to take them out of the rendered folder too',
      ],
      err: [],
    });
    expect(existsSync(join(base, 'fleet/one.yaml'))).toBe(false);
    expect(readFileSync(join(base, 'fleet/many.yaml'), 'utf8')).toBe(
      `# kept\n${text('two')}---\n${text('four')}---\n${text('five', ', activeDeadlineSeconds: 5')}`,
    );
  });

  it('removes nothing with --dry-run', async () => {
    put('fleet/one.yaml', text('one'));
    expect(await prune({ one: 'Failed' }, { dryRun: true })).toEqual({
      code: 0,
      out: ['fleet/one.yaml: would remove run lab/one (Failed)'],
      err: [],
    });
    expect(readFileSync(join(base, 'fleet/one.yaml'), 'utf8')).toBe(text('one'));
  });

  it('leaves to people what it cannot take out of a file', async () => {
    const item = (name: string): string => `  - ${text(name).trim().replaceAll('\n', '\n    ')}\n`;
    const list = `apiVersion: v1\nkind: List\nitems:\n${item('one')}${item('two')}`;
    put('fleet/list.yaml', list);
    expect(await prune({ one: 'Failed' })).toEqual({
      code: 1,
      out: [],
      err: ['fleet/list.yaml: error: run lab/one (Failed) cannot be taken out; remove it by hand'],
    });
    expect(readFileSync(join(base, 'fleet/list.yaml'), 'utf8')).toBe(list);
  });

  it('says that there is nothing to remove', async () => {
    put('fleet/one.yaml', text('one'));
    expect(await prune({ one: 'Running' })).toEqual({ code: 0, out: ['no finished run in the inputs'], err: [] });
  });

  it('writes to where a link leads, and keeps the mode', async () => {
    put('store/runs.yaml', `${text('one')}---\n${text('two')}`);
    put('store/gone.yaml', text('three'));
    chmodSync(join(base, 'store/runs.yaml'), 0o640);
    mkdirSync(join(base, 'fleet'));
    for (const name of ['runs.yaml', 'gone.yaml']) symlinkSync(`../store/${name}`, join(base, 'fleet', name));
    expect((await prune({ one: 'Failed', three: 'Failed' })).code).toBe(0);
    expect(lstatSync(join(base, 'fleet/runs.yaml')).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(base, 'store/runs.yaml'), 'utf8')).toBe(text('two'));
    expect(statSync(join(base, 'store/runs.yaml')).mode & 0o777).toBe(0o640);
    expect([readdirSync(join(base, 'fleet')), readdirSync(join(base, 'store'))]).toEqual([
      ['runs.yaml'],
      ['runs.yaml'],
    ]);
  });

  it.each(['dist', 'dist/lab', 'dist/lab/runs/one.yaml'])('does not touch what is rendered: %s', (input) => {
    put('dist/.hermes-gitops-index.json', '{}');
    put('dist/lab/runs/one.yaml', text('one'));
    expect(() => pruneRuns({ inputs: [input], dryRun: false }, SILENT, base)).toThrow(
      new UsageError(`${input} is rendered; prune the inputs, then run synth --prune`),
    );
  });

  it('does not touch a rendered file that a link leads to', async () => {
    put('dist/.hermes-gitops-index.json', '{}');
    put('dist/lab/runs/one.yaml', text('one'));
    mkdirSync(join(base, 'fleet'));
    symlinkSync('../dist/lab/runs/one.yaml', join(base, 'fleet/one.yaml'));
    await expect(prune({ one: 'Failed' })).rejects.toThrow('fleet/one.yaml is rendered');
  });

  it('does not read the standard input', () => {
    expect(() => pruneRuns({ inputs: ['-'], dryRun: false }, SILENT, base)).toThrow(
      new UsageError('runs are removed from files, and - is none; name files and folders'),
    );
  });
});
