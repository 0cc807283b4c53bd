import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { IoError } from '../../../cli/exit-codes.js';
import { plan } from '../../../cli/plan.js';
import type { PlanOptions } from '../../../cli/plan/options.js';
import { synth } from '../../../cli/synth.js';
import { recordingPrinter } from '../../support/recording-printer.js';
import { AGENT_FILE, RUN_FILE } from '../../support/runs-in-files.js';
import { scratchFolder } from '../../support/scratch-folder.js';
import { READING_DEFAULTS, SYNTH_DEFAULTS } from '../../support/synth-defaults.js';

const folder = scratchFolder();
const { put } = folder;
const INPUTS = ['fleet'];

beforeEach(async () => {
  put('fleet/mia.yaml', AGENT_FILE);
  put('fleet/sum-1.yaml', RUN_FILE);
  expect(await synth({ inputs: INPUTS, ...SYNTH_DEFAULTS }, recordingPrinter().printer, folder.path)).toBe(0);
});

async function planned(options: Partial<PlanOptions> = {}): Promise<{ code: number; lines: readonly string[] }> {
  const out: string[] = [];
  const printer = { out: (text: string) => out.push(text), err: (text: string) => out.push(text) };
  const all = { inputs: INPUTS, ...READING_DEFAULTS, prune: false, against: 'dist', ...options };
  const code = await plan(all, printer, folder.path);
  return { code, lines: out.join('\n').split('\n') };
}

const RENDERED = 'dist/lab/runs/sum-1.yaml';

const edit = (change: (text: string) => string): void => {
  put(RENDERED, change(readFileSync(join(folder.path, RENDERED), 'utf8')));
};

function commit(): void {
  const git = (...args: string[]): Buffer => execFileSync('git', args, { cwd: folder.path, stdio: 'pipe' });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('-c', 'user.name=t', '-c', 'user.email=t@example.net', 'commit', '-q', '-m', 'state');
}

describe('plan', () => {
  it('leaves a run alone whose agent changes', async () => {
    put('fleet/mia.yaml', AGENT_FILE.replace('hermes:v1', 'hermes:v2'));
    const { code, lines } = await planned();
    expect(code).toBe(0);
    expect(lines.filter((line) => line.includes('sum-1'))).toEqual([]);
    expect(lines.filter((line) => line.startsWith('restart'))).toEqual([
      'restart lab/mia: spec.containers[hermes].image',
    ]);
  });

  it('shows a new run and one that is gone', async () => {
    rmSync(join(folder.path, 'fleet/sum-1.yaml'));
    put('fleet/sum-2.yaml', RUN_FILE.replace('sum-1', 'sum-2'));
    const { code, lines } = await planned();
    expect(code).toBe(0);
    expect(lines.filter((line) => /^[-+] /.test(line))).toEqual([
      '+ AgentRun lab/sum-2',
      '+ Job lab/hermes-run-sum-2',
      '- AgentRun lab/sum-1',
      '- Job lab/hermes-run-sum-1',
    ]);
  });

  it('shows an edited run among what the API server refuses', async () => {
    put('fleet/sum-1.yaml', RUN_FILE.replace('sum it up', 'sum it up again'));
    const { code, lines } = await planned();
    expect(code).toBe(1);
    expect(lines.filter((line) => line.startsWith('! '))).toEqual([
      '! AgentRun lab/sum-1: spec.instructions: cannot be changed once the object exists; the spec of a run is immutable: use a new name for a new run',
      '! Job lab/hermes-run-sum-1: spec.template.spec.containers[agent].args[3]: cannot be changed once the object exists; a run is resolved once: use a new name for a new run',
    ]);
  });
});

describe('plan with a rendered run that somebody has edited', () => {
  const HINT = '(restore the file from Git, or use a new name for a new run)';
  const EDITED =
    'Job hermes-run-sum-1 of run lab/sum-1 is not what was rendered: it does not match its hermes-gitops.dev/workload-digest';
  const image = (text: string): string => text.replace('hermes:v1', 'evil:v1');

  it.each<[string, (text: string) => string, string]>([
    ['its image', image, `13:1: error: ${EDITED} ${HINT}`],
    [
      'its label',
      (text) => text.replace('hermes-gitops.dev/run: sum-1', 'hermes-gitops.dev/run: sum-2'),
      '23:28: error: metadata.labels["hermes-gitops.dev/run"]: Job hermes-run-sum-1 of run lab/sum-1 was rendered with "sum-1" here ' +
        HINT,
    ],
    [
      'all of its workload',
      (text) => text.slice(0, text.lastIndexOf('---\n')),
      `3:1: error: run lab/sum-1 was rendered, and its workload hermes-run-sum-1 is missing ${HINT}`,
    ],
    [
      'all of its AgentRun',
      (text) => text.replace(/^---\n[^]*?(?=^---\n)/m, ''),
      `3:1: error: run lab/sum-1 was rendered, and its AgentRun sum-1 is missing ${HINT}`,
    ],
  ])('refuses it in a folder, in the words of synth: %s', async (_what, change, want) => {
    edit(change);
    const options = { inputs: INPUTS, ...SYNTH_DEFAULTS, check: true };
    const { err, printer } = recordingPrinter();
    expect(await synth(options, printer, folder.path)).toBe(1);
    expect(err).toEqual([`${RENDERED}:${want}`]);
    expect(await planned()).toEqual({ code: 1, lines: err });
    expect(await planned({ against: 'dist/lab' })).toEqual({ code: 1, lines: err });
  });

  it.each<[string, (text: string) => string]>([
    ['inside of it', (text) => text.replace(/(\n +image: .*)/, '\n<<<<<<< HEAD$1\n=======$1x\n>>>>>>> other')],
    ['at its top', (text) => `<<<<<<< HEAD\n${text.replace('\n', '\n=======\n# Rendered\n>>>>>>> other\n')}`],
  ])('refuses a merge conflict so, and not as a folder that cannot be read: %s', async (_what, change) => {
    edit(change);
    const { err, printer } = recordingPrinter();
    expect(await synth({ inputs: INPUTS, ...SYNTH_DEFAULTS, check: true }, printer, folder.path)).toBe(1);
    expect(err[0]).toMatch(/error: run lab\/sum-1 cannot be read: .* \(restore the file from Git/);
    expect(await planned()).toEqual({ code: 1, lines: err });
    rmSync(join(folder.path, 'fleet/sum-1.yaml'));
    await expect(planned()).rejects.toThrow(IoError);
  });

  it('says so in JSON', async () => {
    edit(image);
    const { code, lines } = await planned({ format: 'json' });
    expect(code).toBe(1);
    expect(JSON.parse(lines.join('\n'))).toEqual({
      problems: [
        {
          severity: 'error',
          rule: 'RenderedRunChanged',
          file: RENDERED,
          line: 13,
          column: 1,
          path: '',
          message: EDITED,
          hint: 'restore the file from Git, or use a new name for a new run',
        },
      ],
      notes: [],
    });
  });

  it('compares as it is found what does not lie where synth puts it', async () => {
    edit(image);
    renameSync(join(folder.path, 'dist/lab/runs'), join(folder.path, 'dist/lab/others'));
    expect(await planned()).toEqual({ code: 0, lines: ['plan: nothing changes'] });
  });

  it('warns of one in a commit, which a change that restores it must be able to pass', async () => {
    edit(image);
    commit();
    const warning = `main:${RENDERED}:13:1: warning: ${EDITED} ${HINT}`;
    expect(await planned({ against: 'main', output: 'dist' })).toEqual({
      code: 0,
      lines: [warning, 'plan: nothing changes'],
    });
    const { code, lines } = await planned({ against: 'main', output: 'dist', format: 'json' });
    expect([code, JSON.parse(lines.join('\n'))]).toMatchObject([
      0,
      { applicable: true, problems: [{ severity: 'warning', file: `main:${RENDERED}`, line: 13 }] },
    ]);
    expect(await planned({ against: 'main' })).toEqual({ code: 0, lines: ['plan: nothing changes'] });
  });

  it('warns of a merge conflict in a commit, in the file of a run and of an agent, and counts it as not there', async () => {
    const conflict = (text: string): string =>
      text.replace(/(\n +image: .*)/g, '\n<<<<<<< HEAD$1\n=======$1x\n>>>>>>> b');
    const agent = 'dist/lab/agents/mia.yaml';
    edit(conflict);
    put(agent, conflict(readFileSync(join(folder.path, agent), 'utf8')));
    commit();
    const { code, lines } = await planned({ against: 'main', output: 'dist' });
    const told = lines.filter((line) => line.includes('warning: '));
    const places = told.map((line) => /^(\S+?):\d+:\d+: (.*): /.exec(line)?.slice(1));
    const ofRun = [`main:${RENDERED}`, 'warning: run lab/sum-1 cannot be read'];
    const ofAgent = [`main:${agent}`, 'warning: cannot be read, and counts as not there'];
    expect([code, new Set(places.map((place) => place?.join(' ')))]).toEqual([
      0,
      new Set([ofAgent.join(' '), ofRun.join(' ')]),
    ]);
    expect(lines.filter((line) => line.startsWith('+ '))).toContain('+ Job lab/hermes-run-sum-1');
    expect(lines.filter((line) => line.startsWith('! '))).toEqual([]);
  });
});
