import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { isMap, isSeq, parseDocument, stringify } from 'yaml';

const ROOT = join(import.meta.dirname, '..', '..');

/** Texts that are valid agents and runs: the examples and the inputs of the golden cases. */
export function validTexts(): readonly string[] {
  const examples = readdirSync(join(ROOT, 'examples'))
    .filter((name) => name.endsWith('.yaml'))
    .sort()
    .map((name) => join(ROOT, 'examples', name));
  const golden = join(ROOT, 'test', 'golden');
  const cases = readdirSync(golden)
    .sort()
    .map((name) => join(golden, name, 'input.yaml'));
  const texts = [...examples, ...cases].map((path) => readFileSync(path, 'utf8'));
  return texts.filter((text) => /^kind: (HermesAgent|AgentRun)$/m.test(text));
}

/** Whatever has a meaning in YAML, in names or to the readers of values. */
const TOKEN = fc.constantFrom(
  ...[
    '\n',
    '\r\n',
    '\r',
    '\t',
    ' ',
    '  ',
    '- ',
    ': ',
    ':',
    '? ',
    ', ',
    '{',
    '}',
    '[',
    ']',
    '#',
    ' #',
    '|',
    '>-',
    '|+2',
  ],
  ...[
    '"',
    "'",
    '\\',
    '\\u0000',
    '&a ',
    '*a',
    '<<: ',
    '!',
    '!!binary ',
    '!!set',
    '%YAML 1.1\n',
    '---\n',
    '...\n',
    '@',
    '`',
  ],
  ...[
    'null',
    '~',
    'y',
    '0123',
    '1e999',
    '-0',
    '.nan',
    '2026-01-01',
    '0x',
    '1_0',
    '""',
    '{}',
    '[]',
    '99999999999999999',
  ],
  ...['\ufeff', '\u0000', '\u2028', '\u0085', '\ud800', '💥', '../', '..', '/', '${A}', '__proto__', 'constructor'],
);

const KEY = fc.oneof(
  fc.constantFrom('apiVersion', 'kind', 'metadata', 'name', 'namespace', 'spec', 'image', 'env', 'value', 'valueFrom'),
  fc.constantFrom('storage', 'dashboard', 'networkPolicy', 'ingress', 'volumes', 'items', '__proto__', 'toString'),
  fc.string({ maxLength: 8, unit: 'binary' }),
);

const VALUE = fc.letrec<{ readonly any: unknown }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom<unknown>(null, '', 0, -1, true, 1e21, {}, [], '../../x', 'a'.repeat(300), Number.MAX_SAFE_INTEGER),
    fc.string({ maxLength: 12, unit: 'binary' }),
    fc.double(),
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(KEY, tie('any'), { maxKeys: 5 }),
  ),
})).any;

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

const soup = fc.array(fc.oneof(TOKEN, KEY), { maxLength: 60 }).map((parts) => parts.join(''));

const document = VALUE.map((value) => stringify(value));

const API = { apiVersion: 'hermes-gitops.dev/v1alpha1' };

const objectLike = fc
  .record({ kind: fc.constantFrom('HermesAgent', 'AgentRun'), metadata: VALUE, spec: VALUE })
  .map((fields) => stringify({ ...API, ...fields }));

/** As a person would to be safe: quoted, so that only what the reader makes of a text is in question. */
const QUOTED = { defaultStringType: 'QUOTE_DOUBLE', lineWidth: 0 } as const;

/** An agent and two runs with any text where any text is allowed, to be written in such a way that it comes back. */
const freeTexts = fc
  .array(
    fc.oneof(
      fc.array(TOKEN, { maxLength: 6 }).map((parts) => parts.join('')),
      fc.string({ unit: 'binary' }),
    ),
    {
      maxLength: 6,
    },
  )
  .map((texts) => {
    const env = texts.map((value, index) => ({ name: `V${index}`, value }));
    const metadata = { namespace: 'lab', annotations: { 'example.net/note': texts[0] ?? '' } };
    const image = 'registry.example.net/hermes:v1';
    const storage = { existingClaimName: 'home' };
    const podAnnotations = { 'example.net/note': texts[1] ?? '' };
    const instructions = `x${texts[2] ?? ''}`;
    return [
      { kind: 'HermesAgent', metadata: { name: 'mia', ...metadata }, spec: { image, storage, podAnnotations, env } },
      { kind: 'AgentRun', metadata: { name: 'own', ...metadata }, spec: { image, instructions, env } },
      { kind: 'AgentRun', metadata: { name: 'sum', ...metadata }, spec: { agentRef: { name: 'mia' }, instructions } },
    ]
      .map((object) => stringify({ ...API, ...object }, QUOTED))
      .join('---\n');
  });

/** Edits of the text: something is cut, doubled or put in. */
function editedText(texts: readonly string[]): fc.Arbitrary<string> {
  const edit = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    cut: fc.oneof(fc.constant(0), fc.nat(40)),
    token: fc.oneof(TOKEN, KEY),
    copies: fc.nat(2),
  });
  return fc.tuple(fc.constantFrom(...texts), fc.array(edit, { minLength: 1, maxLength: 4 })).map(([text, edits]) =>
    edits.reduce((current, { at, cut, token, copies }) => {
      const start = Math.floor(at * current.length);
      const piece = current.slice(start, start + cut);
      return current.slice(0, start) + piece.repeat(copies) + token + current.slice(start + cut);
    }, text),
  );
}

/** Another value in some places of the document. */
function editedTree(texts: readonly string[]): fc.Arbitrary<string> {
  const edit = fc.record({ at: fc.nat(), value: VALUE });
  return fc.tuple(fc.constantFrom(...texts), fc.array(edit, { minLength: 1, maxLength: 3 })).map(([text, edits]) => {
    const parsed = parseDocument(text.split(/^---$/m)[0] ?? '');
    for (const { at, value } of edits) {
      const places = [...placesOf(parsed.contents)];
      const place = places[at % Math.max(1, places.length)];
      if (place !== undefined) parsed.setIn(place, value);
    }
    return parsed.toString();
  });
}

function* placesOf(node: unknown, above: readonly unknown[] = []): Generator<readonly unknown[]> {
  if (isMap<{ readonly value: unknown }>(node)) {
    for (const { key, value } of node.items) {
      const path = [...above, key.value];
      yield path;
      yield* placesOf(value, path);
    }
  } else if (isSeq(node)) {
    for (const [index, item] of node.items.entries()) {
      yield [...above, index];
      yield* placesOf(item, [...above, index]);
    }
  }
}

/** Bytes of a file, from pure noise to nearly valid agents and runs. */
export function fuzzInputs(): fc.Arbitrary<Uint8Array> {
  const texts = validTexts();
  return fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    soup.map(encode),
    document.map(encode),
    objectLike.map(encode),
    { arbitrary: freeTexts.map(encode), weight: 2 },
    { arbitrary: editedText(texts).map(encode), weight: 3 },
    { arbitrary: editedTree(texts).map(encode), weight: 3 },
    fc.tuple(editedText(texts).map(encode), fc.nat(), fc.nat(255)).map(([bytes, at, byte]) => {
      bytes[at % Math.max(1, bytes.length)] = byte;
      return bytes;
    }),
  );
}
