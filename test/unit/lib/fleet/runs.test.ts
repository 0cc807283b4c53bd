import { describe, expect, it } from 'vitest';
import { renderFiles } from '../../../../lib/fleet/render-files.js';
import { formatPath } from '../../../../lib/validation/problem.js';

const GATES = { allowedClusterRoles: [], allowedBindingNamespaces: [] };

const agent = (name: string, spec = ''): string => `apiVersion: hermes-gitops.dev/v1alpha1
kind: HermesAgent
metadata: {name: ${name}, namespace: lab}
spec:
  image: registry.example.net/hermes:v1
  storage: {existingClaimName: home-${name}}
${spec}---
`;

const run = (name: string, spec: string): string => `apiVersion: hermes-gitops.dev/v1alpha1
kind: AgentRun
metadata: {name: ${name}, namespace: lab}
spec:
  instructions: sum it up
${spec}---
`;

function render(...texts: readonly string[]): ReturnType<typeof renderFiles> {
  const files = texts.map((text, index) => ({ name: `${index}.yaml`, bytes: Buffer.from(text) }));
  return renderFiles(files, GATES, {});
}

function said(...texts: readonly string[]): readonly string[] {
  return render(...texts).problems.map(({ rule, path, message, position }) => {
    return `${position?.file ?? ''}:${position?.line ?? 0}:${position?.column ?? 0} ${rule} ${formatPath(path)}: ${message}`;
  });
}

describe('runs beside agents', () => {
  it('find their agent in another file, before or after', () => {
    const { files, runs, agents } = render(run('one', '  agentRef: {name: mia}\n'), agent('mia'));
    expect([agents, runs]).toEqual([1, 1]);
    expect([...files.keys()].sort()).toEqual([
      '.hermes-gitops-index.json',
      'kustomization.yaml',
      'lab/agents/kustomization.yaml',
      'lab/agents/mia.yaml',
      'lab/kustomization.yaml',
      'lab/runs/kustomization.yaml',
      'lab/runs/one.yaml',
    ]);
    const text = Buffer.from(files.get('lab/runs/one.yaml') ?? []).toString();
    expect(text).toMatch(/^# Rendered by hermes-gitops from 0\.yaml\. Do not edit\.\n---\n/);
    expect(text).toContain('serviceAccountName: hermes-mia\n');
  });

  it('are no agents: one may have the name of an agent', () => {
    expect(said(agent('mia'), run('mia', '  agentRef: {name: mia}\n'))).toEqual([]);
  });

  it.each([
    [
      'an agent that is not there',
      [run('one', '  agentRef: {name: mio}\n'), agent('mia')],
      ['0.yaml:6:20 AgentNotFound spec.agentRef.name: no agent mio of namespace lab is among the inputs'],
    ],
    [
      'only the agent, when that is not valid',
      [run('one', '  agentRef: {name: mia}\n'), agent('mia', '  suspend: maybe\n')],
      ['1.yaml:7:12 WrongType spec.suspend: has to be a boolean, not "maybe"'],
    ],
    [
      'two runs of one name',
      [run('one', '  image: a/b:v1\n'), run('one', '  image: a/b:v1\n')],
      ['1.yaml:3:18 DuplicateRun metadata.name: lab/one is already written in 0.yaml:3:18'],
    ],
    [
      'the home of an agent',
      [
        run('one', '  image: a/b:v1\n  volumes: [{name: data, persistentVolumeClaim: {claimName: home-mia}}]\n'),
        agent('mia'),
      ],
      [
        '0.yaml:7:61 AgentVolume spec.volumes[0].persistentVolumeClaim.claimName: is the home of the agent mia, which its gateway keeps locked',
      ],
    ],
    [
      'a variable of the agent that reads a file which the run does not have',
      [
        run('one', '  agentRef: {name: mia}\n'),
        agent(
          'mia',
          '  volumes: [{name: files, emptyDir: {}}]\n' +
            '  env: [{name: A, valueFrom: {fileKeyRef: {volumeName: files, path: env, key: A}}}]\n',
        ),
      ],
      [
        '0.yaml:6:20 UnknownVolume spec.agentRef.name: the variable A of the agent reads a file, and no emptyDir is called files',
      ],
    ],
    [
      'a mount that only a privileged agent may have',
      [
        run(
          'one',
          '  image: a/b:v1\n  volumes: [{name: x, emptyDir: {}}]\n' +
            '  volumeMounts: [{name: x, mountPath: /x, mountPropagation: Bidirectional}]\n',
        ),
      ],
      ['0.yaml:8:61 BadMount spec.volumeMounts[0].mountPropagation: Bidirectional needs a privileged container'],
    ],
  ])('are refused for %s', (_what, texts, want) => {
    expect(said(...texts).filter((line) => !line.includes('Gated'))).toEqual(want);
    expect(render(...texts).files.size).toBe(0);
  });
});
