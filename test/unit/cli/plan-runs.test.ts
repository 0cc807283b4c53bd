import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { plan } from '../../../cli/plan.js';
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

async function planned(): Promise<{ code: number; lines: readonly string[] }> {
  const out: string[] = [];
  const printer = { out: (text: string) => out.push(text), err: (text: string) => out.push(text) };
  const code = await plan({ inputs: INPUTS, ...READING_DEFAULTS, prune: false, against: 'dist' }, printer, folder.path);
  return { code, lines: out.join('\n').split('\n') };
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
