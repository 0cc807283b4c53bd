import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hermesAgentCrd } from '../../../lib/api/crd.js';
import { renderAgent } from '../../../lib/children/render-agent.js';
import { toYaml } from '../../../lib/emit/yaml.js';
import { resolvedAgent } from '../../support/resolved-agent.js';

interface Reading {
  readonly value?: unknown;
  readonly error?: string;
}

/** Whoever has no Go is told and goes on; a machine that guards the main branch has to have it. */
const withoutGo = spawnSync('go', ['version']).status !== 0 && process.env['CI'] === undefined;
if (withoutGo) console.warn('no Go here: what kubectl and the engines read is NOT tested');

let folder: string;
let reader: string;

beforeAll(() => {
  if (withoutGo) return;
  folder = mkdtempSync(join(tmpdir(), 'hermes-go-reader-'));
  reader = join(folder, 'go-reader');
  execFileSync('go', ['build', '-o', reader, '.'], { cwd: join(import.meta.dirname, 'go-reader') });
});

afterAll(() => {
  if (withoutGo) return;
  rmSync(folder, { recursive: true, force: true });
});

function readByGo(values: readonly unknown[]): readonly Reading[] {
  const output = execFileSync(reader, {
    input: JSON.stringify(values.map(toYaml)),
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  });
  return JSON.parse(output) as readonly Reading[];
}

/** Through JSON, so that `-0` and the like are what JSON has for them. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe.skipIf(withoutGo)('the reader of kubectl and the engines', () => {
  it('takes generated data for what it is', () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: 'grapheme' }),
      fc.string({
        unit: fc.constantFrom('a', ' ', '\n', ':', '#', '-', '0', '_', '.', '\t', '"', "'", '\\', ',', '('),
      }),
      fc.string({ unit: fc.constantFrom('0', '1', '8', '_', ':', '.', '-', '+', 'e', 'x', 'o', 'b', 'T', 'Z') }),
      fc.constantFrom(
        'y',
        'No',
        'ON',
        'null',
        '~',
        '0x1F',
        '0o17',
        '+1',
        '1e3',
        '12:30',
        '---',
        '...',
        '=',
        '<<',
        '!a',
      ),
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        text,
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(
          text.filter((key) => key !== '__proto__'),
          tie('tree'),
          { maxKeys: 4 },
        ),
      ),
    }));
    const values = fc.sample(fc.dictionary(fc.constantFrom('a', 'b'), tree), { numRuns: 5000, seed: 31 }).map(plain);
    const readings = readByGo(values);
    expect(readings).toHaveLength(values.length);
    readings.forEach((reading, index) => {
      expect(reading, toYaml(values[index])).toEqual({ value: values[index] });
    });
  });

  it('takes what is rendered for what it is', () => {
    const env = ['y', 'on', 'NO', '0123', '1_000', '0b11', '12:30:45', '', '~', 'a\nb\n', '${X} $(Y) $$z'];
    const values = [
      hermesAgentCrd(),
      { ['k'.repeat(1500)]: { v: 1 } },
      ...renderAgent(resolvedAgent({ env: env.map((value, index) => ({ name: `V${index}`, value })) })),
    ].map(plain);
    expect(readByGo(values)).toEqual(values.map((value) => ({ value })));
  });
});
