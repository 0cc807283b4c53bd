import { describe, expect, it } from 'vitest';
import { convertFile, type ConvertedFile } from '../../../../lib/convert/convert-file.js';
import { problemLine } from '../../../../cli/report.js';

const convert = (text: string, name = 'a.yaml'): ConvertedFile =>
  convertFile({ name, bytes: Buffer.from(text) }, { allowedClusterRoles: [], allowedBindingNamespaces: [] });

const SPEC = `spec:
  image: registry.example.net/hermes:v1   # pinned
  storage: {existingClaimName: home}
`;
const BODY = `kind: HermesAgent
metadata:
    name: mia # the first
    namespace: lab
${SPEC}`;
const FORMER = `apiVersion: hermes.k8s.undermountain.cc/v1alpha1\n${BODY}`;
const OURS = `apiVersion: hermes-gitops.dev/v1alpha1\n${BODY}`;
const SECRET = 'apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n';
const JSON_AGENT = (apiVersion: string): string =>
  `{"apiVersion": "${apiVersion}", "kind": "HermesAgent",
  "metadata": {"name": "mia", "namespace": "lab"},
  "spec": {"image": "registry.example.net/hermes:v1", "storage": {"existingClaimName": "home"}}}
`;

describe('convertFile', () => {
  it.each<[string, string, string, readonly string[]]>([
    ['keeps comments and layout', `# owner: lab\n${FORMER}`, `# owner: lab\n${OURS}`, []],
    ['keeps quotes', FORMER.replace(/(hermes\.k8s\S+)/, '"$1"'), OURS.replace(/(hermes-gitops\S+)/, '"$1"'), []],
    ['keeps CRLF', FORMER.replaceAll('\n', '\r\n'), OURS.replaceAll('\n', '\r\n'), []],
    ['leaves other documents out', `${SECRET}---\n# mia\n${FORMER}---\n${SECRET}`, `# mia\n${OURS}`, ['2 × Secret']],
    [
      'keeps the mark between two agents',
      `---\n${FORMER}---\n# second\n${FORMER.replace('mia', 'zoe')}`,
      `${OURS}---\n# second\n${OURS.replace('mia', 'zoe')}`,
      [],
    ],
    [
      'leaves out what is converted',
      `${OURS}---\n${FORMER}`,
      OURS,
      ['HermesAgent of hermes-gitops.dev/v1alpha1 already'],
    ],
    [
      'keeps the mention of the former group elsewhere',
      FORMER.replace('# pinned', '# hermes.k8s.undermountain.cc/v1alpha1'),
      OURS.replace('# pinned', '# hermes.k8s.undermountain.cc/v1alpha1'),
      [],
    ],
    ['edits JSON', JSON_AGENT('hermes.k8s.undermountain.cc/v1alpha1'), JSON_AGENT('hermes-gitops.dev/v1alpha1'), []],
    [
      'keeps a namespace that is given when rendering',
      FORMER.replace('    namespace: lab\n', ''),
      OURS.replace('    namespace: lab\n', ''),
      [],
    ],
  ])('%s', (_, text, want, skipped) => {
    const result = convert(text);
    expect(result.problems).toEqual([]);
    expect([result.text, result.skipped, result.notes]).toEqual([want, skipped, []]);
  });

  it('writes the agents of a mixed list anew and says so', () => {
    const item = FORMER.replace('# the first', '').trimEnd().replaceAll('\n', '\n    ');
    const secret = SECRET.trimEnd().replaceAll('\n', '\n    ');
    const result = convert(`apiVersion: v1\nkind: List\nitems:\n  - ${secret}\n  - ${item}\n`);
    expect([result.text, result.skipped, result.notes]).toEqual([
      `apiVersion: hermes-gitops.dev/v1alpha1
kind: HermesAgent
metadata:
  name: mia
  namespace: lab
spec:
  image: registry.example.net/hermes:v1
  storage:
    existingClaimName: home
`,
      ['Secret'],
      ['a.yaml: agents of a list were written anew, without their comments'],
    ]);
  });

  it.each<[string, string, string]>([
    [
      'a field that is none here',
      FORMER.replace('  storage', '  replicas: 2\n  storage'),
      'a.yaml:8:3: error: spec.replicas: replicas is no known field (remove it)',
    ],
    [
      'tool sessions in pods of their own',
      `${FORMER}  execBackend: kubernetes\n`,
      'a.yaml:9:16: error: spec.execBackend: "kubernetes" is not one of local (write one of local)',
    ],
    [
      'another version of the group',
      FORMER.replace('v1alpha1', 'v1beta1'),
      'a.yaml:1:13: error: apiVersion: is not the group of agents (write hermes-gitops.dev/v1alpha1)',
    ],
  ])('refuses %s at its place', (_, text, want) => {
    const result = convert(text);
    expect([result.text, result.problems.map(problemLine)]).toEqual([undefined, [want]]);
  });

  it('warns of selectors that would find nothing, and of bindings that a platform has to allow', () => {
    const result = convert(`${FORMER}  affinity:
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        - topologyKey: kubernetes.io/hostname
          labelSelector:
            matchLabels: {app: hermes}
            matchExpressions: [{key: hermes.undermountain.cc/agent, operator: Exists}]
  rbac: {clusterRoleBindings: [{roleRef: {kind: ClusterRole, name: node-reader}}]}
`);
    expect(result.text).toMatch(/^apiVersion: hermes-gitops\.dev\/v1alpha1\n/);
    expect(
      result.problems.map(({ rule, severity, position }) => `${position?.line} ${severity} ${rule}`).sort(),
    ).toEqual(['14 warning FormerLabel', '15 warning FormerLabel', '16 warning ClusterRoleNotAllowed']);
  });
});
