import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { validate } from '../../../cli/validate.js';
import type { Format } from '../../../cli/report.js';

/** An agent whose lines are where the rows below say. */
const agent = (spec: string, head = 'apiVersion: hermes-gitops.dev/v1alpha1\nkind: HermesAgent\n'): string =>
  `${head}metadata:\n  name: mia\n  namespace: lab\nspec:\n  image: reg.example.net/hermes:v1\n${spec}`;
const HOME = '  storage: { existingClaimName: home }\n';

/** What it is, the text of `in.yaml`, and the rule and place of all that is said of it. */
const INPUTS: readonly (readonly [string, string | Uint8Array, readonly string[]])[] = [
  ['bytes that are no text', new Uint8Array([0x61, 0x0a, 0xff]), ['NotUtf8 2:1']],
  ['a syntax error', `${agent(HOME)}\tx: 1\n`, ['YamlSyntax 9:1']],
  ['a second object of JSON', '{"a":1}{"b":2}', ['YamlSyntax 1:8']],
  ['a key that is there twice', agent(`${HOME}  suspend: true\n  suspend: false\n`), ['DuplicateKey 10:3']],
  ['a value that readers differ in', agent(`${HOME}  serviceAccountName: on\n`), ['AmbiguousScalar 9:23']],
  ['a kind that is none', 'apiVersion: hermes-gitops.dev/v1alpha1\nkind: Hermes\n', ['UnknownKind 2:7']],
  [
    'no metadata',
    'apiVersion: hermes-gitops.dev/v1alpha1\nkind: HermesAgent\nspec: {}\n',
    ['Required 1:1', 'Required 3:1', 'Required 3:1'],
  ],
  ['a missing field', agent(''), ['Required 6:1']],
  ['an unknown field', agent(`${HOME}  imagePolicy: Always\n`), ['UnknownField 9:3']],
  ['a value of another type', agent(`${HOME}  suspend: [1]\n`), ['WrongType 9:3']],
  ['a rule of the CRD', agent(`${HOME}  llmDefaultProvider: x\n`), ['Rule 6:1']],
  ['a rule of a native type', agent(`${HOME}  env: [{ name: 1A=, value: x }]\n`), ['BadName 9:17']],
  [
    'a binding that is not allowed',
    agent(`${HOME}  rbac: { clusterRoleBindings: [{ roleRef: { kind: ClusterRole, name: x } }] }\n`),
    ['ClusterRoleNotAllowed 9:71'],
  ],
  ['a warning', agent(`${HOME}  env: [{ name: A, value: "\${x}" }]\n`), ['FluxSubstitution 9:27']],
  [
    'the former group',
    agent(HOME, 'apiVersion: hermes.k8s.undermountain.cc/v1alpha1\nkind: HermesAgent\n'),
    ['FormerGroup 1:13'],
  ],
  ['two agents of one name', `${agent(HOME)}---\n${agent(HOME)}`, ['DuplicateAgent 13:9']],
];

let base: string;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'hermes-places-'));
});
afterAll(() => {
  rmSync(base, { recursive: true, force: true });
});

function said(content: string | Uint8Array, format: Format): string {
  writeFileSync(join(base, 'in.yaml'), content);
  const lines: string[] = [];
  const printer = { out: (text: string) => lines.push(text), err: (text: string) => lines.push(text) };
  const options = { inputs: ['in.yaml'], allowedClusterRoles: [], allowedBindingNamespaces: [], flux: false };
  validate({ ...options, controllerNamespace: '', output: 'dist', format }, printer, base);
  return lines.join('\n');
}

it.each(INPUTS)('says where %s stands, to every reader', (_, content, want) => {
  const { problems } = JSON.parse(said(content, 'json')) as {
    readonly problems: readonly {
      readonly rule: string;
      readonly file: string;
      readonly line: number;
      readonly column: number;
    }[];
  };
  expect(problems.map(({ rule, line, column }) => `${rule} ${line}:${column}`)).toEqual(want);
  expect(new Set(problems.map(({ file }) => file))).toEqual(new Set(['in.yaml']));
  const annotations = said(content, 'github')
    .split('\n')
    .filter((line) => !line.startsWith('::notice'));
  expect(
    annotations.map((line) =>
      /^::(?:error|warning) file=in\.yaml,line=(\d+),col=(\d+),title=(\w+)::/.exec(line)?.slice(1),
    ),
  ).toEqual(problems.map(({ rule, line, column }) => [String(line), String(column), rule]));
});
