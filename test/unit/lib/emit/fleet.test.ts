import { describe, expect, it } from 'vitest';
import type { ResolvedAgent } from '../../../../lib/api/hermes-agent.js';
import { renderFleet } from '../../../../lib/emit/fleet.js';
import type { FleetOptions, SourcedAgent } from '../../../../lib/emit/rendered-agent.js';
import { readTreeIndex } from '../../../../lib/emit/tree-index.js';
import { resolvedAgent } from '../../../support/resolved-agent.js';

const from = (file: string, agent: ResolvedAgent, line = 1): SourcedAgent => ({
  agent,
  file,
  position: () => ({ file, line, column: 9 }),
});

const agent = (namespace: string, name: string): ResolvedAgent => resolvedAgent({}, { namespace, name });

function texts(agents: readonly SourcedAgent[], options: FleetOptions = {}): Record<string, string> {
  const { files } = renderFleet(agents, options);
  return Object.fromEntries([...files].map(([path, bytes]) => [path, Buffer.from(bytes).toString('utf8')]));
}

const FLEET = [
  from('b.yaml', agent('prod', 'mina')),
  from('a.yaml', agent('lab', 'zoe')),
  from('a.yaml', agent('lab', 'mina')),
];

describe('renderFleet', () => {
  it('lays agents out by namespace, with a list in every folder and an index', () => {
    const files = texts(FLEET);
    expect(Object.keys(files).sort()).toEqual([
      '.hermes-gitops-index.json',
      'kustomization.yaml',
      'lab/agents/kustomization.yaml',
      'lab/agents/mina.yaml',
      'lab/agents/zoe.yaml',
      'lab/kustomization.yaml',
      'prod/agents/kustomization.yaml',
      'prod/agents/mina.yaml',
      'prod/kustomization.yaml',
    ]);
    expect(files['lab/agents/kustomization.yaml']).toBe(
      [
        '# Rendered by hermes-gitops. Do not edit.',
        '# Set no namespace here or in the engine that applies this: labels, subjects and names already carry the one they need.',
        'apiVersion: kustomize.config.k8s.io/v1beta1',
        'kind: Kustomization',
        'resources:',
        '  - mina.yaml',
        '  - zoe.yaml',
        '',
      ].join('\n'),
    );
    expect(files['kustomization.yaml']).toMatch(/resources:\n {2}- lab\n {2}- prod\n$/);
    expect(files['lab/agents/zoe.yaml']).toMatch(
      /^# Rendered by hermes-gitops from a\.yaml\. Do not edit\.\n---\napiVersion: hermes-gitops\.dev\/v1alpha1\nkind: HermesAgent\n/,
    );
    expect(readTreeIndex(files['.hermes-gitops-index.json'] ?? '')).toEqual(
      Object.keys(files)
        .filter((path) => path !== '.hermes-gitops-index.json')
        .sort(),
    );
  });

  it('does not depend on the order of the inputs', () => {
    expect(texts([...FLEET].reverse())).toEqual(texts(FLEET));
  });

  it.each([
    ['FILE_PER_APP' as const, ['app.yaml']],
    ['FILE_PER_CHART' as const, ['mina.yaml', 'zoe.yaml']],
    [
      'FILE_PER_RESOURCE' as const,
      ['mina', 'zoe'].flatMap((name) => [
        `deployment.hermes-${name}.yaml`,
        `hermesagent.${name}.yaml`,
        `persistentvolumeclaim.hermes-${name}-data.yaml`,
        `role.hermes-${name}-self.yaml`,
        `rolebinding.hermes-${name}-self.yaml`,
        `service.hermes-${name}.yaml`,
        `serviceaccount.hermes-${name}.yaml`,
      ]),
    ],
    [
      'FOLDER_PER_CHART_FILE_PER_RESOURCE' as const,
      ['mina', 'zoe'].flatMap((name) => [
        `${name}/deployment.hermes-${name}.yaml`,
        `${name}/hermesagent.${name}.yaml`,
        `${name}/kustomization.yaml`,
        `${name}/persistentvolumeclaim.hermes-${name}-data.yaml`,
        `${name}/role.hermes-${name}-self.yaml`,
        `${name}/rolebinding.hermes-${name}-self.yaml`,
        `${name}/service.hermes-${name}.yaml`,
        `${name}/serviceaccount.hermes-${name}.yaml`,
      ]),
    ],
  ])('spreads the same documents over files by %s', (layout, want) => {
    const files = texts(FLEET, { layout });
    const below = Object.keys(files).filter((path) => path.startsWith('lab/agents/'));
    expect(below.map((path) => path.slice('lab/agents/'.length)).sort()).toEqual(
      [...want, 'kustomization.yaml'].sort(),
    );
    const documents = (all: Record<string, string>): string[] =>
      Object.values(all).flatMap((text) => text.split(/^---\n/m).slice(1));
    expect(documents(files).sort()).toEqual(documents(texts(FLEET)).sort());
  });

  it('keeps the list of the folder when an agent is called like it', () => {
    const files = texts([from('a.yaml', agent('lab', 'kustomization'))]);
    expect(files['lab/agents/kustomization.yaml']).toMatch(/resources:\n {2}- kustomization\.agent\.yaml\n$/);
    expect(files['lab/agents/kustomization.agent.yaml']).toContain('name: hermes-kustomization\n');
  });

  it('keeps the header a comment, whatever the source is called', () => {
    const files = texts([from('a\nkind: Secret\u2028.yaml', agent('lab', 'mia'))]);
    expect(files['lab/agents/mia.yaml']?.split('\n')[0]).toBe(
      '# Rendered by hermes-gitops from a?kind: Secret?.yaml. Do not edit.',
    );
  });

  it('names both places of an agent that is written twice, and renders nothing', () => {
    const { files, problems } = renderFleet([
      from('a.yaml', agent('lab', 'mina'), 5),
      from('b/a.yaml', agent('prod', 'mina')),
      from('b/a.yaml', agent('lab', 'mina'), 7),
    ]);
    expect(files.size).toBe(0);
    expect(problems).toEqual([
      {
        severity: 'error',
        rule: 'DuplicateAgent',
        path: ['metadata', 'name'],
        message: 'lab/mina is already written in a.yaml:5:9',
        hint: 'give one of them another name or namespace, or remove it',
        position: { file: 'b/a.yaml', line: 7, column: 9 },
      },
    ]);
  });

  it('names both sources of an object that two agents render', () => {
    // Validation refuses such names; this is what happens should one ever get past it.
    const dashboard = resolvedAgent({ dashboard: { enabled: true } }, { name: 'mina' });
    const { problems } = renderFleet([from('a.yaml', dashboard), from('b.yaml', agent('lab', 'mina-dashboard'), 3)]);
    expect(problems.map(({ message, position }) => [message, position?.file])).toEqual([
      ['renders Service lab/hermes-mina-dashboard, which a.yaml:1:9 renders too', 'b.yaml'],
    ]);
  });
});

describe('readTreeIndex', () => {
  it.each([
    ['no JSON', '{', undefined],
    ['another file', '{"files": 1}', undefined],
    ['null', 'null', undefined],
    [
      'paths that lead out of the tree',
      '{"files": ["a/b.yaml", "../c", "/etc/passwd", "a/../../b", "a//b", "", "a\\\\b", 1]}',
      ['a/b.yaml'],
    ],
  ])('is careful with %s', (_, text, want) => {
    expect(readTreeIndex(text)).toEqual(want);
  });
});
