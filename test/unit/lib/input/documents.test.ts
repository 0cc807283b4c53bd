import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { readDocuments, type InputDocument, type ReadResult } from '../../../../lib/input/documents.js';
import { readAsGo } from '../../../../lib/input/plain-scalar.js';

const HEAD = 'apiVersion: hermes-gitops.dev/v1alpha1\nkind: HermesAgent\n';

const read = (text: string | Uint8Array): ReadResult =>
  readDocuments(typeof text === 'string' ? new TextEncoder().encode(text) : text, 'a.yaml');

/** Rule and place of every problem, those of the documents included. */
function problemsOf(text: string | Uint8Array): string[] {
  const { documents, problems } = read(text);
  return [...problems, ...documents.flatMap((document) => document.problems)].map(
    ({ rule, position }) => `${rule} ${String(position?.line)}:${String(position?.column)}`,
  );
}

function only(text: string): InputDocument {
  const { documents, problems } = read(text);
  expect(problems).toEqual([]);
  expect(documents).toHaveLength(1);
  const [document] = documents;
  if (document === undefined) throw new Error('no document');
  return document;
}

describe('forms of files', () => {
  it.each([
    ['comments alone', '# nothing\n', []],
    ['nothing', '', []],
    ['markers first and last, and empty documents', `---\n# a\n---\n${HEAD}...\n---\n`, ['HermesAgent']],
    ['a byte order mark', `\ufeff${HEAD}`, ['HermesAgent']],
    ['JSON with tabs', '{\n\t"kind": "HermesAgent"\n}', ['HermesAgent']],
    ['a List of two kinds', 'kind: List\nitems:\n- kind: HermesAgent\n- kind: Secret\n', ['HermesAgent', 'Secret']],
    ['a typed list', 'apiVersion: x/v1\nkind: HermesAgentList\nitems:\n- metadata: {}\n', ['HermesAgent']],
    ['a list in a list', 'kind: List\nitems:\n- {kind: List, items: [{kind: A}, {kind: B}]}\n', ['A', 'B']],
    ['YAML 1.2 said aloud', `%YAML 1.2\n---\n${HEAD}`, ['HermesAgent']],
  ])('reads %s', (_what, text, kinds) => {
    const { documents, problems } = read(text);
    expect(problems).toEqual([]);
    expect(documents.map(({ value }) => (value as { kind: string }).kind)).toEqual(kinds);
  });

  it.each([
    ['Latin-1', new Uint8Array([0x61, 0x3a, 0x20, 0x0a, 0x62, 0x3a, 0x20, 0xe9, 0x0a]), ['NotUtf8 2:4']],
    ['UTF-16 with its mark', new Uint8Array([0xff, 0xfe, 0x61, 0]), ['NotUtf8 1:1']],
    ['UTF-16 without', new Uint8Array([0x61, 0, 0x3a, 0]), ['ControlCharacter 1:2']],
    ['a mark inside', `${HEAD}---\n\ufeff${HEAD}`, ['ByteOrderMark 4:1']],
    ['YAML 1.1', `%YAML 1.1\n---\n${HEAD}`, ['YamlVersion 2:1']],
    ['tabs as indentation', `${HEAD}a:\n\tb: 1\n`, ['YamlSyntax 4:1']],
    ['a duplicate key', `${HEAD}env: 1\n"env": 2\n`, ['DuplicateKey 4:1']],
    ['a duplicate key in JSON', '{"kind":"HermesAgent",\n"a":1,"a":2}', ['DuplicateKey 2:7']],
    ['a key that is a number', `${HEAD}8080: x\n`, ['BadKey 3:1']],
    ['a key that is a list', `${HEAD}? [a]\n: x\n`, ['BadKey 3:3']],
    ['an alias of itself', `${HEAD}a: &a [*a]\n`, ['BadAlias 3:8']],
    ['an alias of nothing', `${HEAD}a: *b\n`, ['BadAlias 3:4']],
    ['a tag', `${HEAD}a: !!int 5\n`, ['BadTag 3:10']],
    ['a tag of one’s own', `${HEAD}a: !secret 5\n`, ['YamlSyntax 3:4']],
    ['half a character', `${HEAD}a: "\\ud800"\n`, ['ControlCharacter 3:4']],
    ['a merge of a string', `${HEAD}a:\n  <<: x\n`, ['BadMerge 4:3']],
    ['a text without an end', `${HEAD}a: "x\n`, ['YamlSyntax 4:1']],
  ])('refuses %s', (_what, text, want) => {
    expect(problemsOf(text)).toEqual(want);
  });

  it.each([
    ['a second object of JSON', '{"a":1}{"b":2}', '1:8', 'begin each document with a line of its own that is ---'],
    [
      'objects of JSON, a line each',
      '{"a":1}\n{"b":2}\n',
      '2:1',
      'begin each document with a line of its own that is ---',
    ],
    ['a second list', '[1] [2]', '1:5', 'begin each document with a line of its own that is ---'],
    ['text behind an object', '{"a":1} x', '1:9', 'remove it, or quote the text that it belongs to'],
    ['a bracket too many', '{"a":1}}', '1:8', 'remove it, or quote the text that it belongs to'],
    ['a bracket too few', '{"a":1', '1:7', 'close what was opened before: a bracket, a quote, or a key with ":"'],
  ])('says what to write instead of %s', (_what, text, place, hint) => {
    const [problem] = read(text).problems;
    expect([`${problem?.position?.line ?? 0}:${problem?.position?.column ?? 0}`, problem?.hint]).toEqual([place, hint]);
  });

  it('names the line of both duplicates', () => {
    const [problem] = only(`${HEAD}env: 1\nx: 2\nenv: 3\n`).problems;
    expect(problem?.message).toBe('the key "env" is there twice, first in line 3');
  });

  it('says nothing of values of other kinds', () => {
    expect(problemsOf('kind: ConfigMap\ndata: {a: y, b: 0123}\n')).toEqual([]);
  });

  it('finds the trouble of the one item of a List that has it', () => {
    const { documents } = read('kind: List\nitems:\n- kind: HermesAgent\n  a: y\n- kind: HermesAgent\n');
    expect(documents.map(({ problems }) => problems.map(({ path }) => path))).toEqual([[['a']], []]);
  });

  it('turns CRLF into LF, block scalars included', () => {
    expect(only(`${HEAD}a: |\n  x\n  y\n`.replaceAll('\n', '\r\n')).value).toMatchObject({ a: 'x\ny\n' });
  });

  it('keeps names that are properties of every object as plain data', () => {
    const value = only(`${HEAD}__proto__: {polluted: true}\nconstructor: x\n`).value as object;
    expect(Object.keys(value)).toEqual(['apiVersion', 'kind', '__proto__', 'constructor']);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it('expands aliases and merge keys; what is written beside a merge wins', () => {
    const text = `${HEAD}x: &x {k: 1, l: 2}\nm: {<<: *x, l: 3}\nn: {l: 4, <<: [{l: 5, o: 6}, *x]}\np: *x\n`;
    expect(only(text).value).toMatchObject({ m: { k: 1, l: 3 }, n: { l: 4, o: 6, k: 1 }, p: { k: 1, l: 2 } });
  });

  it('refuses aliases that expand without measure', () => {
    const levels = Array.from({ length: 8 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(10)}]\n`);
    expect(problemsOf(`${HEAD}a0: &a0 [1,1,1,1,1,1,1,1,1,1]\n${levels.join('')}`)).toEqual(['BadAlias 8:18']);
  });

  it('refuses nesting that no reader follows, in a few words', () => {
    expect(problemsOf('['.repeat(100_000)).length).toBeLessThan(5);
  });
});

describe('plain scalars that readers take for different things', () => {
  it.each(['0123', 'y', 'Y', 'on', 'NO', 'Off', 'n', '1_000', '0b11', '-0x1F', '1e999', '.inf', '.NaN'])(
    'refuses %s where it stands',
    (source) => {
      expect(problemsOf(`${HEAD}v: ${source}\n`)).toEqual(['AmbiguousScalar 3:4']);
    },
  );

  it.each(['123456789012345678', '-9007199254740993', '0xFFFFFFFFFFFFFFFF'])(
    'refuses %s, which loses digits',
    (source) => {
      const [problem] = only(`${HEAD}v: ${source}\n`).problems;
      expect(problem).toMatchObject({ rule: 'AmbiguousScalar', hint: `write "${source}"` });
    },
  );

  it.each([
    ['12:30:45', '12:30:45'],
    ['2001-01-01', '2001-01-01'],
    ['"y"', 'y'],
    ["'0123'", '0123'],
    ['!!str 0123', '0123'],
    ['1e3', 1000],
    ['.5', 0.5],
    ['08', 8],
    ['0o17', 15],
    ['0x1F', 31],
    ['~', null],
    ['True', true],
    ['9007199254740991', 9007199254740991],
  ])('takes %s for %j', (source, want) => {
    const document = only(`${HEAD}v: ${source}\n`);
    expect(document.problems).toEqual([]);
    expect(document.value).toMatchObject({ v: want });
  });

  it('names the form to write', () => {
    const hints = ['0123', 'y', 'no'].map((source) => only(`${HEAD}v: ${source}\n`).problems[0]?.hint);
    expect(hints).toEqual([
      'write "0123"',
      'write "y", or true where a boolean is meant',
      'write "no", or false where a boolean is meant',
    ]);
  });
});

describe('readAsGo', () => {
  it.each([
    ['0123', 83],
    ['-0b101', -5],
    ['0O17', 15],
    ['1_000.5', 1000.5],
    ['+.5e1', 5],
    ['_1', '_1'],
    ['09', 9],
    ['Yes', true],
    ['yES', 'yES'],
    ['0x', '0x'],
    ['-', '-'],
    ['NULL', null],
  ])('takes %s for %j', (source, want) => {
    expect(readAsGo(source)).toBe(want);
  });
});

describe('positions', () => {
  const text = [
    '# first',
    '--- # marker',
    HEAD.trimEnd(),
    'spec:',
    '  base: &b {k: v}',
    '  env:',
    '    - name: a',
    '      value: 0x1F',
    '  other:',
    '    <<: *b',
    '  empty:',
    '---',
    'kind: List',
    'items:',
    '  - kind: HermesAgent',
    '    metadata: {name: x}',
    '',
  ].join('\n');
  const [first, second] = read(text).documents as [InputDocument, InputDocument];

  it.each([
    { what: 'a value', document: first, path: ['spec', 'env', 0, 'value'], target: 'value', want: '9:14' },
    { what: 'its key', document: first, path: ['spec', 'env', 0, 'value'], target: 'key', want: '9:7' },
    { what: 'a list, by its key', document: first, path: ['spec', 'env'], target: 'value', want: '7:3' },
    { what: 'an item', document: first, path: ['spec', 'env', 0], target: 'value', want: '8:7' },
    { what: 'a parent of what is missing', document: first, path: ['spec', 'x', 'y'], target: 'value', want: '5:1' },
    { what: 'what a merge brought', document: first, path: ['spec', 'other', 'k'], target: 'value', want: '6:16' },
    { what: 'a value that is empty', document: first, path: ['spec', 'empty'], target: 'value', want: '12:3' },
    { what: 'the document', document: first, path: [], target: 'value', want: '3:1' },
    { what: 'an item of a List', document: second, path: ['metadata', 'name'], target: 'value', want: '17:22' },
    { what: 'the first again', document: first, path: ['kind'], target: 'value', want: '4:7' },
  ] as const)('finds $what', ({ document, path, target, want }) => {
    const { line, column } = document.position(path, target);
    expect(`${line}:${column}`).toBe(want);
  });

  it('gives plain scalars as they are written, and nothing else', () => {
    expect(first.sourceText(['spec', 'env', 0, 'value'])).toBe('0x1F');
    expect(first.sourceText(['spec', 'env'])).toBeUndefined();
    expect(only('kind: "x"').sourceText(['kind'])).toBeUndefined();
  });
});

describe('any bytes', () => {
  it('never make the reader throw', () => {
    const piece = fc.constantFrom(
      'a',
      ':',
      ' ',
      '\n',
      '- ',
      '{',
      '}',
      '[',
      ']',
      '&a ',
      '*a',
      '<<',
      '"',
      "'",
      '|',
      '%',
      '!',
      '\t',
      '---\n',
      '?',
      '#',
      '>',
      ',',
      '\\',
      HEAD,
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array({ maxLength: 60 }),
          fc.array(piece, { maxLength: 40 }).map((p) => new TextEncoder().encode(p.join(''))),
        ),
        (bytes) => {
          const { documents, problems } = read(bytes);
          for (const { position } of problems) expect(position?.line).toBeGreaterThan(0);
          for (const document of documents) expect(document.position(['a', 0]).line).toBeGreaterThan(0);
        },
      ),
      { seed: 3, numRuns: 1500 },
    );
  });
});
