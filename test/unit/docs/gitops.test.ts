import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LIVE_FIELDS } from '../../integration/gitops/live-fields.js';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const page = readFileSync(join(ROOT, 'docs/gitops.md'), 'utf8');

/** Rows of the first table below a heading, its head left out. */
function tableBelow(heading: string): readonly (readonly string[])[] {
  const [, section = ''] = page.split(`\n### ${heading}\n`);
  const [text = ''] = section.split('\n##');
  const rows = text.split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** Names of all tests that are written in the sources of the tests. */
function testNames(): ReadonlySet<string> {
  const files = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.ts'),
  );
  const sources = files.map((path) => readFileSync(join(ROOT, 'test', path), 'utf8'));
  return new Set(
    sources.flatMap((text) =>
      [...text.matchAll(/\bit(?:\.(?:each|runIf)\([^)\n]*\))?\(\s*'([^'\n]+)'/g)].map(([, name = '']) => name),
    ),
  );
}

describe('docs/gitops.md', () => {
  const lines = [
    'Agents come, change and go',
    'Runs come, end and go',
    'Somebody changes the cluster',
    'Something is missing',
  ].flatMap(tableBelow);

  it('says of every line by which test it is held, and there is that test', () => {
    const names = testNames();
    expect(lines.length).toBeGreaterThanOrEqual(27);
    expect(lines.filter((cells) => cells.length !== 4)).toEqual([]);
    const held = lines.map((cells) => (cells.at(-1) ?? '').replace(/^`(.*)`$/, '$1'));
    expect(held.filter((name) => !names.has(name))).toEqual([]);
    expect(names).toContain('takes nothing that the cluster writes for a difference');
  });

  it('lists the fields that the engines are asked about', () => {
    const want = LIVE_FIELDS.map(({ kind, field, writer }) => [`\`${kind}\``, `\`${field}\``, writer]);
    expect(tableBelow('Fields that are no difference')).toEqual(want);
  });
});
