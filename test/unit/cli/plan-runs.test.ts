import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { plan } from '../../../cli/plan.js';
import { synth } from '../../../cli/synth.js';

let base: string;
let cacheHome: string | undefined;

const AGENT = `apiVersion: hermes-gitops.dev/v1alpha1
kind: HermesAgent
metadata: {name: mia, namespace: lab}
spec:
  image: registry.example.net/hermes:v1
  storage: {existingClaimName: home}
`;
const RUN = `apiVersion: hermes-gitops.dev/v1alpha1
kind: AgentRun
metadata: {name: sum-1, namespace: lab}
spec:
  agentRef: {name: mia}
  instructions: sum it up
`;

const INPUT = {
  inputs: ['fleet'],
  flux: false,
  controllerNamespace: 'hermes-gitops-system',
  format: 'text',
  allowedClusterRoles: [],
  allowedBindingNamespaces: [],
  prune: false,
} as const;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'hermes-plan-runs-'));
  cacheHome = process.env['XDG_CACHE_HOME'];
  process.env['XDG_CACHE_HOME'] = `${base}-cache`;
  put('fleet/mia.yaml', AGENT);
  put('fleet/sum-1.yaml', RUN);
  const silent = { out: (): void => undefined, err: (): void => undefined };
  expect(synth({ ...INPUT, output: 'dist', layout: 'FILE_PER_CHART', check: false }, silent, base)).toBe(0);
});

afterEach(() => {
  for (const folder of [base, `${base}-cache`]) rmSync(folder, { recursive: true, force: true });
  if (cacheHome === undefined) delete process.env['XDG_CACHE_HOME'];
  else process.env['XDG_CACHE_HOME'] = cacheHome;
});

function put(path: string, text: string): void {
  mkdirSync(dirname(join(base, path)), { recursive: true });
  writeFileSync(join(base, path), text);
}

async function planned(): Promise<{ code: number; lines: readonly string[] }> {
  const out: string[] = [];
  const printer = { out: (text: string) => out.push(text), err: (text: string) => out.push(text) };
  const code = await plan({ ...INPUT, against: 'dist' }, printer, base);
  return { code, lines: out.join('\n').split('\n') };
}

describe('plan', () => {
  it('leaves a run alone whose agent changes', async () => {
    put('fleet/mia.yaml', AGENT.replace('hermes:v1', 'hermes:v2'));
    const { code, lines } = await planned();
    expect(code).toBe(0);
    expect(lines.filter((line) => line.includes('sum-1'))).toEqual([]);
    expect(lines.filter((line) => line.startsWith('restart'))).toEqual([
      'restart lab/mia: spec.containers[hermes].image',
    ]);
  });

  it('shows a new run and one that is gone', async () => {
    rmSync(join(base, 'fleet/sum-1.yaml'));
    put('fleet/sum-2.yaml', RUN.replace('sum-1', 'sum-2'));
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
    put('fleet/sum-1.yaml', RUN.replace('sum it up', 'sum it up again'));
    const { code, lines } = await planned();
    expect(code).toBe(1);
    expect(lines.filter((line) => line.startsWith('! '))).toEqual([
      '! AgentRun lab/sum-1: spec.instructions: cannot be changed once the object exists; the spec of a run is immutable: use a new name for a new run',
      '! Job lab/hermes-run-sum-1: spec.template.spec.containers[agent].args[3]: cannot be changed once the object exists; a run is resolved once: use a new name for a new run',
    ]);
  });
});
