import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';

import { NodeReader } from '../../../../lib/input/node-value.js';
import { readSimpleYaml } from '../../../../lib/input/simple-yaml.js';

/** What the full parser says, or undefined when it has anything to complain about. */
function readFully(text: string): { readonly value: unknown } | undefined {
  const documents = parseAllDocuments(text, {
    version: '1.2',
    schema: 'core',
    uniqueKeys: false,
    merge: false,
    logLevel: 'error',
  });
  if (!Array.isArray(documents) || documents.length > 1) return undefined;
  const [document] = documents;
  if (document === undefined) return { value: null };
  if (document.errors.length > 0 || document.warnings.length > 0) return undefined;
  const reader = new NodeReader();
  const value = reader.read(document.contents);
  return reader.findings.length > 0 ? undefined : { value };
}

const MANIFEST = `# a comment
apiVersion: hermes-gitops.dev/v1alpha1
kind: HermesAgent
metadata:
  name: mina
  labels: {team: x, tier: "1"}
spec:
  image: registry.example.net:5000/hermes:v1@sha256:abc

  storage:
    persistentVolumeClaim:
      accessModes: [ReadWriteOnce]
      resources:
        requests: {storage: 1Gi}
  env:
  - name: A
    value: 'it is # no comment'
  - name: B
    valueFrom:
      secretKeyRef: { name: s, key: k }
  # between
  - {name: C, value: ""}
  args: [flag, "a, b", []]
  suspend: false
  count: 42
  below: -7
  nothing:
  time: 12:30:45
`;

describe('readSimpleYaml', () => {
  it('reads an ordinary manifest', () => {
    const value = readFully(MANIFEST)?.value;
    expect(value).toMatchObject({ spec: { count: 42, env: [{ name: 'A' }, { name: 'B' }, { name: 'C', value: '' }] } });
    expect(readSimpleYaml(MANIFEST)?.value).toEqual(value);
  });

  it.each([
    ['nothing', '# only this\n\n', null],
    ['a list', '- a\n- b: 1\n  c: 2\n-   d: 3\n', ['a', { b: 1, c: 2 }, { d: 3 }]],
    ['lists below their key', 'a:\n- b\nc:\n  - d\n', { a: ['b'], c: ['d'] }],
    ['an empty value before a list item', 'a:\n  - b:\n    c: 1\n', { a: [{ b: null, c: 1 }] }],
    ['a colon inside', 'a: http://x:80/y\n', { a: 'http://x:80/y' }],
    ['flow in flow', 'a: [{b: [1, x]}, {}, []]\n', { a: [{ b: [1, 'x'] }, {}, []] }],
  ])('reads %s', (_what, text, want) => {
    expect(readSimpleYaml(text)).toEqual({ value: want });
  });

  it.each([
    ['a tab', 'a:\n\tb: 1\n'],
    ['a duplicate key', 'a: 1\na: 2\n'],
    ['a duplicate key in flow', 'x: {a: 1, a: 2}\n'],
    ['what readers take for different things', 'a: y\n'],
    ['an octal number', 'a: 0123\n'],
    ['a decimal', 'a: 1.10\n'],
    ['a key that is no string', 'on: 1\n'],
    ['a key that names the prototype', '__proto__: 1\n'],
    ['an anchor', 'a: &x 1\n'],
    ['an alias', 'a: *x\n'],
    ['a merge key', '<<: 1\n'],
    ['a block scalar', 'a: |\n  x\n'],
    ['an escape', 'a: "\\n"\n'],
    ['a comment after a value', 'a: b # c\n'],
    ['a scalar of two lines', 'a: b\n  c\n'],
    ['a quoted scalar of two lines', 'a: "b\n  c"\n'],
    ['a list in a list', '- - a\n'],
    ['a wrong indentation', 'a:\n    b: 1\n  c: 2\n'],
    ['a tag', 'a: !x b\n'],
    ['a number of many digits', 'a: 1234567890123456789\n'],
    ['nesting without end', `a: ${'['.repeat(100_000)}\n`],
  ])('leaves %s to the full parser', (_what, text) => {
    expect(readSimpleYaml(text)).toBeUndefined();
  });

  it('gives what the full parser gives, or nothing, for any change of a manifest', () => {
    const lines = MANIFEST.split('\n');
    const token = fc.constantFrom(
      ' ',
      '  ',
      '- ',
      ': ',
      ':',
      '#',
      ' #',
      "'",
      '"',
      '{',
      '}',
      '[',
      ']',
      ',',
      '\n',
      '\n  ',
      'y',
      'null',
      '0x1F',
      '1e3',
      '.5',
      '-',
      '---',
      '...',
      '&a ',
      '*a',
      '!',
      '|',
      '>',
      '%',
      '@',
      '`',
      '?',
      '~',
      '<<',
      '\u00a0',
      '\u2028',
      '\ufeff',
      'é',
      '0',
      '_',
      '=',
    );
    const change = fc.tuple(fc.nat(lines.length - 1), fc.nat(30), fc.constantFrom(0, 0, 1, 2, 5), token);
    let simple = 0;
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
        const changed = [...lines];
        for (const [line, column, removed, inserted] of changes) {
          const old = changed[line] ?? '';
          changed[line] = old.slice(0, column) + inserted + old.slice(column + removed);
        }
        const text = changed.join('\n');
        const read = readSimpleYaml(text);
        if (read === undefined) return;
        simple++;
        expect(read).toEqual(readFully(text));
      }),
      { seed: 4, numRuns: 6000 },
    );
    // Otherwise the comparison would say nothing.
    expect(simple).toBeGreaterThan(600);
  });
});
