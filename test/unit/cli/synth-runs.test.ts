import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { synth, type SynthOptions } from '../../../cli/synth.js';
import { validate } from '../../../cli/validate.js';
import { recordingPrinter } from '../../support/recording-printer.js';
import { AGENT_FILE, RUN_FILE } from '../../support/runs-in-files.js';
import { scratchFolder } from '../../support/scratch-folder.js';
import { SYNTH_DEFAULTS } from '../../support/synth-defaults.js';

const folder = scratchFolder();
const { put } = folder;

beforeEach(() => {
  put('fleet/mia.yaml', AGENT_FILE);
  put('fleet/runs/sum-1.yaml', RUN_FILE);
});

const RENDERED = 'dist/lab/runs/sum-1.yaml';

async function run(
  options: Partial<SynthOptions> = {},
  verb: typeof synth | typeof validate = synth,
): Promise<{ code: number; out: string[]; err: string[] }> {
  const { out, err, printer } = recordingPrinter();
  return { code: await verb({ inputs: ['fleet'], ...SYNTH_DEFAULTS, ...options }, printer, folder.path), out, err };
}

function read(path: string): string {
  return readFileSync(join(folder.path, path), 'utf8');
}

describe('a run is resolved once', () => {
  it('counts runs beside agents', async () => {
    expect(await run()).toMatchObject({ code: 0, out: ['1 agent and 1 run in dist: 7 files written, 0 unchanged'] });
    expect(await run()).toMatchObject({ code: 0, out: ['1 agent and 1 run, nothing changed in dist'] });
  });

  it('keeps its workload whatever becomes of its agent, and --check agrees', async () => {
    await run();
    const before = read(RENDERED);
    put('fleet/mia.yaml', AGENT_FILE.replace('hermes:v1', 'hermes:v2'));
    expect(await run()).toMatchObject({ code: 0, out: ['1 agent and 1 run in dist: 1 files written, 6 unchanged'] });
    expect(read(RENDERED)).toBe(before);
    expect((await run({ check: true })).code).toBe(0);
  });

  it('keeps it without its agent too', async () => {
    await run();
    const before = read(RENDERED);
    rmSync(join(folder.path, 'fleet/mia.yaml'));
    expect(await run({ prune: true })).toMatchObject({ code: 0, err: [] });
    expect(read(RENDERED)).toBe(before);
    expect(readdirSync(join(folder.path, 'dist/lab/agents'))).toEqual(['kustomization.yaml']);
  });

  it('is valid without its agent once it is rendered, and not before', async () => {
    await run();
    rmSync(join(folder.path, 'fleet/mia.yaml'));
    expect(await run({}, validate)).toEqual({ code: 0, out: ['0 agents and 1 run valid'], err: [] });
    expect(await run({ output: 'other' }, validate)).toEqual({
      code: 1,
      out: [],
      err: [
        'fleet/runs/sum-1.yaml:5:20: error: spec.agentRef.name: no agent mia of namespace lab is among the inputs ' +
          '(render the whole fleet together, or write image: … in place of agentRef)',
      ],
    });
    expect(readdirSync(folder.path)).toEqual(['dist', 'fleet']);
  });

  it('is refused by validate too when it is not what was rendered', async () => {
    await run();
    put('fleet/runs/sum-1.yaml', RUN_FILE.replace('sum it up', 'sum it up again'));
    expect(await run({}, validate)).toEqual(await run());
    expect((await run({}, validate)).err[0]).toContain(
      '6:17: error: spec.instructions: is not what the run was rendered from',
    );
  });

  it('keeps to the byte what another renderer wrote', async () => {
    await run();
    const other = read(RENDERED).replace('backoffLimit: 0', 'backoffLimit:   0 # as an older version wrote it');
    put(RENDERED, other);
    expect(await run()).toMatchObject({ code: 0 });
    expect(read(RENDERED)).toBe(other);
    expect((await run({ check: true })).code).toBe(0);
  });

  it('lets labels of the run change, and the file that it is written in', async () => {
    await run();
    rmSync(join(folder.path, 'fleet/runs/sum-1.yaml'));
    put('fleet/other.yaml', RUN_FILE.replace('namespace: lab', 'namespace: lab, labels: {team: x}'));
    put('fleet/mia.yaml', AGENT_FILE.replace('hermes:v1', 'hermes:v2'));
    expect((await run()).code).toBe(0);
    const text = read(RENDERED);
    expect(text).toContain('# Rendered by hermes-gitops from fleet/other.yaml. Do not edit.\n');
    expect(text).toContain('  labels:\n    team: x\n');
    expect(text).toContain('image: registry.example.net/hermes:v1\n');
  });

  it.each([
    ['another instruction', RUN_FILE.replace('sum it up', 'sum it up again'), '6:17: error: spec.instructions'],
    ['another agent', RUN_FILE.replace('name: mia}', 'name: eve}'), '5:3: error: spec.agentRef'],
    ['one field more', `${RUN_FILE}  activeDeadlineSeconds: 60\n`, '7:26: error: spec.activeDeadlineSeconds'],
  ])('refuses %s, and writes nothing', async (_what, text, want) => {
    await run();
    const before = read(RENDERED);
    put('fleet/runs/sum-1.yaml', text);
    put('fleet/mia.yaml', AGENT_FILE.replace('hermes:v1', 'hermes:v2'));
    const outcome = await run();
    expect(outcome.code).toBe(1);
    expect(outcome.err).toEqual([
      `fleet/runs/sum-1.yaml:${want}: is not what the run was rendered from, and a run is final (use a new name for a new run)`,
    ]);
    expect(read(RENDERED)).toBe(before);
    expect(read('dist/lab/agents/mia.yaml')).toContain('hermes:v1');
    expect((await run({ check: true })).code).toBe(1);
  });

  it('names the field that a spec lost, at the place of the spec', async () => {
    put('fleet/runs/sum-1.yaml', `${RUN_FILE}  startupDeadlineSeconds: 60\n`);
    await run();
    put('fleet/runs/sum-1.yaml', RUN_FILE);
    expect((await run()).err).toEqual([
      'fleet/runs/sum-1.yaml:4:1: error: spec.startupDeadlineSeconds: is not what the run was rendered from, and a run is final (use a new name for a new run)',
    ]);
  });

  it('takes a default that is written out, and another form of a quantity, for the same spec', async () => {
    put('fleet/runs/sum-1.yaml', `${RUN_FILE}  resources: {limits: {memory: 1024Mi}}\n`);
    await run();
    put('fleet/runs/sum-1.yaml', `${RUN_FILE}  resources: {limits: {memory: 1Gi}}\n  workload: Job\n`);
    expect(await run()).toMatchObject({ code: 0, err: [] });
  });

  it.each<[string, (text: string) => string, string]>([
    [
      'image',
      (text) => text.replace('hermes:v1', 'evil:v1'),
      '13:1: error: Job hermes-run-sum-1 of run lab/sum-1 is not what was rendered: it does not match its hermes-gitops.dev/workload-digest',
    ],
    [
      'service account',
      (text) => text.replace('serviceAccountName: hermes-mia', 'serviceAccountName: admin'),
      '13:1: error: Job hermes-run-sum-1 of run lab/sum-1 is not what was rendered: it does not match its hermes-gitops.dev/workload-digest',
    ],
    [
      'kind',
      (text) => text.replace('kind: Job', 'kind: Sandbox'),
      '14:7: error: kind: Sandbox hermes-run-sum-1 of run lab/sum-1 was rendered with "Job" here',
    ],
    [
      'namespace',
      (text) => text.replace(/(kind: Job[^]*namespace: )lab/, '$1kube-system'),
      'metadata.namespace: Job hermes-run-sum-1 of run lab/sum-1 was rendered with "lab" here',
    ],
    [
      'name',
      (text) => text.replace('name: hermes-run-sum-1', 'name: hermes-run-sum-2'),
      '3:1: error: run lab/sum-1 was rendered, and its workload hermes-run-sum-1 is missing',
    ],
    [
      'label',
      (text) => text.replace('hermes-gitops.dev/run: sum-1', 'hermes-gitops.dev/run: sum-2'),
      'metadata.labels["hermes-gitops.dev/run"]: Job hermes-run-sum-1 of run lab/sum-1 was rendered with "sum-1" here',
    ],
    [
      'label that an agent has',
      (text) => text.replace(/(kind: Job[^]*?labels:\n)/, '$1    hermes-gitops.dev/agent: mia\n'),
      'metadata.labels["hermes-gitops.dev/agent"]: Job hermes-run-sum-1 of run lab/sum-1 was rendered without this',
    ],
    [
      'spec digest',
      (text) => text.replace(/spec-digest: v1:..../, 'spec-digest: v1:0000'),
      'metadata.annotations["hermes-gitops.dev/spec-digest"]: Job hermes-run-sum-1 of run lab/sum-1 was rendered with "v1:',
    ],
    [
      'workload taken out',
      (text) => text.slice(0, text.lastIndexOf('---\n')),
      '3:1: error: run lab/sum-1 was rendered, and its workload hermes-run-sum-1 is missing',
    ],
    [
      'AgentRun taken out',
      (text) => text.replace(/---\n[^]*---\n/, '---\n'),
      'error: run lab/sum-1 was rendered, and its AgentRun sum-1 is missing',
    ],
    [
      'merge conflict',
      (text) => text.replace(/(\n +image: .*)/, '\n<<<<<<< HEAD$1\n=======$1x\n>>>>>>> other'),
      'error: run lab/sum-1 cannot be read: ',
    ],
    [
      'merge conflict at its top',
      (text) => `<<<<<<< HEAD\n${text.replace('\n', '\n=======\n# Rendered\n>>>>>>> other\n')}`,
      '3:1: error: run lab/sum-1 cannot be read: ',
    ],
  ])('refuses a rendered run with another %s, in every verb, and writes nothing', async (_what, edit, want) => {
    await run();
    const edited = edit(read(RENDERED));
    put(RENDERED, edited);
    put('fleet/mia.yaml', AGENT_FILE.replace('hermes:v1', 'hermes:v2'));
    const outcome = await run();
    expect(outcome).toMatchObject({ code: 1, out: [] });
    expect(outcome.err[0]).toMatch(new RegExp(`^${RENDERED}:\\d+:\\d+: error: `));
    expect(outcome.err[0]).toContain(want);
    expect(outcome.err[0]).toMatch(/ \(restore the file from Git, or use a new name for a new run\)$/);
    expect(await run({ check: true })).toEqual(outcome);
    expect(await run({}, validate)).toEqual(outcome);
    expect(read(RENDERED)).toBe(edited);
    expect(read('dist/lab/agents/mia.yaml')).toContain('hermes:v1');
  });

  it('keeps what was rendered before workloads had a digest, and holds it to its identity', async () => {
    await run();
    const former = read(RENDERED).replace(/ +hermes-gitops\.dev\/workload-digest: .*\n/, '');
    put(RENDERED, former);
    expect(await run()).toMatchObject({ code: 0, err: [] });
    expect(read(RENDERED)).toBe(former);
    put(RENDERED, former.replace('kind: Job', 'kind: Sandbox'));
    expect((await run()).code).toBe(1);
  });

  it('takes line ends of another system for the same', async () => {
    await run();
    put(RENDERED, read(RENDERED).replaceAll('\n', '\r\n'));
    expect((await run({}, validate)).err).toEqual([]);
  });

  it('does not believe a file that it did not write', async () => {
    put(RENDERED, RUN_FILE.replace('sum it up', 'somebody else'));
    expect((await run()).err).toEqual([`${RENDERED}: error: was not written by hermes-gitops and is in the way`]);
  });

  it('says that a run is left, and removes it with --prune', async () => {
    await run();
    rmSync(join(folder.path, 'fleet/runs'), { recursive: true });
    expect((await run()).err).toContain('note: lab/runs/sum-1.yaml: not rendered any more; --prune removes it');
    expect((await run({ prune: true })).code).toBe(0);
    expect(readdirSync(join(folder.path, 'dist/lab/runs'))).toEqual(['kustomization.yaml']);
    expect(read('dist/lab/runs/kustomization.yaml')).toContain('resources: []\n');
  });

  it('is one file in every layout', async () => {
    for (const layout of ['FILE_PER_APP', 'FILE_PER_RESOURCE', 'FOLDER_PER_CHART_FILE_PER_RESOURCE'] as const) {
      await run({ layout, output: layout });
      expect(readdirSync(join(folder.path, layout, 'lab/runs'))).toEqual(['kustomization.yaml', 'sum-1.yaml']);
    }
  });

  it('keeps Flux from substituting in what it renders, and leaves what it keeps', async () => {
    put('fleet/runs/sum-1.yaml', RUN_FILE.replace('sum it up', 'say ${X}'));
    await run({ flux: true });
    const kept = read(RENDERED);
    expect(kept.match(/kustomize\.toolkit\.fluxcd\.io\/substitute: disabled/g)).toHaveLength(2);
    expect((await run({ flux: true, check: true })).code).toBe(0);
  });
});
