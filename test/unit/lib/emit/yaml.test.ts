import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { toYaml, toYamlStream } from '../../../../lib/emit/yaml.js';

const bothReaders = (text: string): unknown[] =>
  (['1.1', '1.2'] as const).map((version): unknown =>
    parse(text, { version, schema: version === '1.1' ? 'yaml-1.1' : 'core', strict: true, uniqueKeys: true }),
  );

describe('toYaml', () => {
  it.each([
    ['a plain word', 'hermes', 'hermes'],
    ['an image', 'registry.example.net/hermes:v1', 'registry.example.net/hermes:v1'],
    ['a path', '/opt/data', '/opt/data'],
    ['an empty text', '', '""'],
    ['a YAML 1.1 boolean', 'y', '"y"'],
    ['a YAML 1.1 boolean in capitals', 'NO', '"NO"'],
    ['a word that means null', 'null', '"null"'],
    ['a tilde', '~', '"~"'],
    ['an octal number', '0123', '"0123"'],
    ['a sexagesimal number', '12:30:45', '"12:30:45"'],
    ['a number with underscores', '1_000', '"1_000"'],
    ['a binary number', '0b11', '"0b11"'],
    ['a quantity', '1Gi', '"1Gi"'],
    ['infinity', '.inf', '".inf"'],
    ['a date', '2026-01-02', '"2026-01-02"'],
    ['a merge key', '<<', '"<<"'],
    ['a colon at the end', 'a:', '"a:"'],
    ['a colon before a space', 'a: b', '"a: b"'],
    ['a comment', 'a #b', '"a #b"'],
    ['a check mark', '✓ Gateway', '"✓ Gateway"'],
    ['a variable', '${USER} \\$ $(HOSTNAME) $$x', '"${USER} \\\\$ $(HOSTNAME) $$x"'],
    ['a next-line character', 'a\u0085b', '"a\\u0085b"'],
    ['a byte order mark', '\ufeff', '"\\ufeff"'],
    ['half of a surrogate pair', 'a\ud800b', '"a\ufffdb"'],
    ['lines', 'a\n  b\n\nc', '|-\n  a\n    b\n\n  c'],
    ['lines with a break at the end', 'a\nb\n', '|\n  a\n  b'],
    ['lines with two breaks at the end', 'a\n\n', '"a\\n\\n"'],
    ['a line that begins with a blank', ' a\nb', '" a\\nb"'],
    ['a line that ends in a blank', 'a \nb', '"a \\nb"'],
    ['a tab in a line', 'a\tb\nc', '"a\\tb\\nc"'],
  ])('writes %s', (_, text, want) => {
    expect(toYaml({ v: text })).toBe(`v: ${want}\n`);
  });

  it.each([
    ['an empty map', {}, '{}\n'],
    ['an empty list', [], '[]\n'],
    ['a list at the root', ['a', ['b']], '- a\n- - b\n'],
    ['empty values', { a: {}, b: [], c: null, d: undefined }, 'a: {}\nb: []\nc: null\n'],
    ['numbers and booleans', { a: 1, b: 0.5, c: true, d: -0 }, 'a: 1\nb: 0.5\nc: true\nd: 0\n'],
    [
      'an object, what names it first',
      { spec: { b: [{ y: 1, name: 'n' }], a: [{}] }, kind: 'K', metadata: { name: 'm' }, apiVersion: 'v1', data: 'd' },
      'apiVersion: v1\nkind: K\nmetadata:\n  name: m\ndata: d\nspec:\n  a:\n    - {}\n  b:\n    - name: "n"\n      "y": 1\n',
    ],
  ])('writes %s', (_, value, want) => {
    expect(toYaml(value)).toBe(want);
  });

  it('refuses what is not JSON data', () => {
    expect(() => toYaml({ v: Number.NaN })).toThrow(TypeError);
    expect(() => toYaml({ v: () => 1 })).toThrow(TypeError);
  });

  it('gives every reader back what was written', () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: 'grapheme' }),
      fc.string({
        unit: fc.constantFrom('a', ' ', '\n', ':', '#', '-', '0', '_', '.', '\t', '"', "'", '\\', ',', '(', ')'),
      }),
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
    fc.assert(
      fc.property(tree, (value) => {
        const plain: unknown = JSON.parse(JSON.stringify(value));
        const yaml = toYaml(plain);
        expect(bothReaders(yaml)).toEqual([plain, plain]);
        expect(toYaml(JSON.parse(JSON.stringify(plain)))).toBe(yaml);
      }),
      { numRuns: 2000, seed: 20 },
    );
  });

  it('keeps keys that are longer than one line may hold', () => {
    const value = { outer: { ['k'.repeat(1500)]: { inner: 'v' }, ['l'.repeat(1500)]: 'w' } };
    expect(bothReaders(toYaml(value))).toEqual([value, value]);
  });

  it('separates the documents of a stream', () => {
    expect(toYamlStream([{ a: 1 }, { b: 2 }])).toBe('---\na: 1\n---\nb: 2\n');
  });
});
