import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

const MAIN = join(import.meta.dirname, '..', '..', '..', 'cli', 'main.ts');
const TSX = import.meta.resolve('tsx');

const AGENT = `apiVersion: hermes-gitops.dev/v1alpha1
kind: HermesAgent
metadata: {name: mia, namespace: lab}
spec:
  image: registry.example.net/hermes:v1
  storage: {existingClaimName: home}
`;

let base: string;

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'hermes-command-line-'));
  writeFileSync(join(base, 'good.yaml'), AGENT);
  writeFileSync(join(base, 'bad.yaml'), AGENT.replace('home', '1'));
});

afterAll(() => {
  rmSync(base, { recursive: true, force: true });
});

function command(args: readonly string[], input = ''): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', TSX, MAIN, ...args], {
    cwd: base,
    encoding: 'utf8',
    input,
    env: { ...process.env, XDG_CACHE_HOME: join(base, '.cache') },
  });
  return { code: status, out: stdout, err: stderr };
}

it.each<[string, readonly string[], number, RegExp]>([
  ['a valid agent', ['validate', 'good.yaml'], 0, /^$/],
  [
    'an agent that is not valid',
    ['validate', 'bad.yaml'],
    1,
    /^bad\.yaml:6:32: error: spec\.storage\.existingClaimName: /,
  ],
  ['a plan without the other side', ['plan', 'good.yaml'], 2, /^error: Missing required argument: against\n/],
  [
    'a plan in a format that it has not',
    ['plan', 'good.yaml', '--against', '.', '--format', 'github'],
    2,
    /^error: Invalid/,
  ],
  [
    'a plan against nothing',
    ['plan', 'good.yaml', '--against', 'gone'],
    3,
    /^error: --against gone: neither a folder nor/,
  ],
  ['a plan against an empty word', ['plan', 'good.yaml', '--against', ''], 2, /^error: --against is empty; name /],
  ['nothing to convert', ['convert', 'good.yaml'], 0, /^note: good\.yaml: skipped HermesAgent of hermes-gitops\.dev/],
  ['a conversion to a folder without names', ['convert', '-', '-o', 'x'], 2, /^error: - has no name to write to/],
  ['a repository for no engine', ['init', 'new'], 2, /^error: name one engine: --flux or --argocd\n/],
  [
    'a repository where there is one',
    ['init', '.', '--flux', '--path', 'good.yaml'],
    1,
    /^good\.yaml: error: is there/,
  ],
  [
    'a deadline that is no number',
    ['run', '--agent', 'mia', '-i', 'x', '--startup-deadline', 'abc'],
    2,
    /^error: --startup-deadline has to be a whole number of seconds\n/,
  ],
  [
    'runs to remove from the standard input',
    ['runs', 'prune', '-'],
    2,
    /^error: runs are removed from files, and - is/,
  ],
  ['no verb', [], 2, /^error: name a verb\n/],
  ['an unknown verb', ['bogus'], 2, /^error: Unknown argument: bogus\n/],
  ['no input', ['synth'], 2, /^error: Not enough/],
  ['an unknown flag', ['synth', 'good.yaml', '--bogus'], 2, /^error: Unknown argument: bogus\n/],
  ['a value that is none of the choices', ['synth', 'good.yaml', '--layout', 'x'], 2, /^error: Invalid values:\n/],
  ['a flag without its value', ['synth', 'good.yaml', '-o'], 2, /^error: Not enough/],
  ['a negated flag', ['synth', 'good.yaml', '--no-output'], 2, /^error: Unknown arguments: no-output, noOutput\n/],
  ['a part of a flag', ['synth', 'good.yaml', '--output.x=y'], 2, /^error: Unknown argument: output\.x\n/],
  ['a switch with a value', ['synth', 'good.yaml', '--check=yes'], 2, /^error: --check is a switch: write it alone/],
  ['a short switch with a value', ['uninstall', '-y=1'], 2, /^error: -y is a switch: write it alone/],
  ['a file that is not there', ['synth', 'gone.yaml'], 3, /^error: cannot read gone\.yaml: no such file or folder\n$/],
  ['an output that cannot be', ['synth', 'good.yaml', '-o', 'good.yaml/x'], 3, /^error: cannot write /],
])('ends with the right code for %s, without a stack trace', (_, args, code, message) => {
  const result = command(args);
  expect([result.code, result.err]).toEqual([code, expect.stringMatching(message)]);
  expect(result.err).not.toMatch(/^\s+at /m);
});

it('reads the standard input among files, lists of roles, and the last of repeated flags', () => {
  const args = ['synth', '-', 'good.yaml', '-o', 'no', '-o', 'out', '--allowed-cluster-roles', 'a,node-reader'];
  const bound = '  rbac: {clusterRoleBindings: [{roleRef: {kind: ClusterRole, name: node-reader}}]}\n';
  const result = command(args, AGENT.replace('mia', 'zoe') + bound);
  expect(result).toEqual({ code: 0, out: '2 agents in out: 6 files written, 0 unchanged\n', err: '' });
  expect(readFileSync(join(base, 'out/lab/agents/zoe.yaml'), 'utf8')).toMatch(
    /^# Rendered by hermes-gitops from stdin\. Do not edit\.\n/,
  );
});
