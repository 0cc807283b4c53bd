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

  it('refuses a spec that lost a field at the place of the spec', async () => {
    put('fleet/runs/sum-1.yaml', `${RUN_FILE}  startupDeadlineSeconds: 60\n`);
    await run();
    put('fleet/runs/sum-1.yaml', RUN_FILE);
    expect((await run()).err).toEqual([
      'fleet/runs/sum-1.yaml:4:1: error: spec: is not what the run was rendered from, and a run is final (use a new name for a new run)',
    ]);
  });

  it('takes a default that is written out, and another form of a quantity, for the same spec', async () => {
    put('fleet/runs/sum-1.yaml', `${RUN_FILE}  resources: {limits: {memory: 1024Mi}}\n`);
    await run();
    put('fleet/runs/sum-1.yaml', `${RUN_FILE}  resources: {limits: {memory: 1Gi}}\n  workload: Job\n`);
    expect(await run()).toMatchObject({ code: 0, err: [] });
  });

  it('renders a workload anew that was taken out of the file', async () => {
    await run();
    const before = read(RENDERED);
    put(RENDERED, before.slice(0, before.lastIndexOf('---\n')));
    expect((await run()).code).toBe(0);
    expect(read(RENDERED)).toBe(before);
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
