import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { convert, type ConvertOptions } from '../../../cli/convert.js';

const agent = (name: string, group = 'hermes.k8s.undermountain.cc'): string => `# ${name}
apiVersion: ${group}/v1alpha1
kind: HermesAgent
metadata: {name: ${name}, namespace: lab}
spec:
  image: registry.example.net/hermes:v1
  storage: {existingClaimName: home}
`;
const converted = (name: string): string => agent(name, 'hermes-gitops.dev');
const SECRET = 'apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n';

let base: string;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'hermes-convert-'));
});

afterEach(() => {
  rmSync(base, { recursive: true, force: true });
});

function put(path: string, text: string): void {
  mkdirSync(dirname(join(base, path)), { recursive: true });
  writeFileSync(join(base, path), text);
}

const read = (path: string): string => readFileSync(join(base, path), 'utf8');

function run(options: Partial<ConvertOptions> = {}): { code: number; out: string[]; err: string[] } {
  const out: string[] = [];
  const err: string[] = [];
  const printer = { out: (text: string) => out.push(text), err: (text: string) => err.push(text) };
  const code = convert({ inputs: ['old'], force: false, format: 'text', ...options }, printer, base);
  return { code, out, err };
}

describe('convert', () => {
  it('writes one stream of documents to the output, and what it skipped beside it', () => {
    put('old/a.yaml', `${SECRET}---\n${agent('mia')}`);
    put('old/b/c.yaml', agent('zoe'));
    const result = run();
    expect(result).toEqual({
      code: 0,
      out: [converted('mia').trimEnd(), `---\n${converted('zoe').trimEnd()}`],
      err: ['note: old/a.yaml: skipped Secret'],
    });
  });

  it('writes a folder as the input is laid out, and the same again without complaint', () => {
    put('old/a.yaml', agent('mia'));
    put('old/b/c.yaml', agent('zoe'));
    for (let times = 0; times < 2; times++) {
      expect(run({ output: 'new' })).toEqual({ code: 0, out: ['2 agents converted to new'], err: [] });
      expect([read('new/a.yaml'), read('new/b/c.yaml')]).toEqual([converted('mia'), converted('zoe')]);
    }
  });

  it('overwrites nothing unless it is told to', () => {
    put('old/a.yaml', agent('mia'));
    put('old/b.yaml', agent('zoe'));
    put('new/b.yaml', 'mine');
    expect(run({ output: 'new' })).toEqual({
      code: 1,
      out: [],
      err: ['new/b.yaml: error: exists; --force overwrites it'],
    });
    expect(() => read('new/a.yaml')).toThrow(/ENOENT/);
    expect(read('new/b.yaml')).toBe('mine');
    expect(run({ output: 'new', force: true }).code).toBe(0);
    expect(read('new/b.yaml')).toBe(converted('zoe'));
  });

  it('converts in place, and refuses to where other documents would be lost', () => {
    put('old/a.yaml', agent('mia'));
    put('old/b.yaml', `${agent('zoe')}---\n${SECRET}`);
    expect(run({ output: 'old', force: true })).toEqual({
      code: 1,
      out: [],
      err: [
        'note: old/b.yaml: skipped Secret',
        'old/b.yaml: error: holds other documents too (Secret), which would be lost',
      ],
    });
    expect(read('old/a.yaml')).toBe(agent('mia'));
    expect(run({ inputs: ['old/a.yaml'], output: 'old', force: true }).code).toBe(0);
    expect(read('old/a.yaml')).toBe(converted('mia'));
  });

  it('refuses two inputs for one file', () => {
    put('old/a.yaml', agent('mia'));
    put('older/a.yaml', agent('zoe'));
    expect(run({ inputs: ['old', 'older'], output: 'new' }).err).toEqual([
      'new/a.yaml: error: both old/a.yaml and older/a.yaml would be written here',
    ]);
  });

  it('writes nothing when an agent has a field that is none here', () => {
    put('old/a.yaml', agent('mia'));
    put('old/b.yaml', agent('zoe').replace('  storage', '  sidecars: []\n  storage'));
    expect(run({ output: 'new' })).toEqual({
      code: 1,
      out: [],
      err: ['old/b.yaml:7:3: error: spec.sidecars: sidecars is no known field (remove it)'],
    });
    expect(() => read('new/a.yaml')).toThrow(/ENOENT/);
  });

  it('says when there is nothing to convert', () => {
    put('old/a.yaml', converted('mia'));
    expect(run()).toEqual({
      code: 0,
      out: [],
      err: [
        'note: old/a.yaml: skipped HermesAgent of hermes-gitops.dev/v1alpha1 already',
        'note: no HermesAgent of the former group found',
      ],
    });
  });
});
