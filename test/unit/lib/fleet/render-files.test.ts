import { describe, expect, it } from 'vitest';

import type { Layout } from '../../../../lib/emit/layout.js';
import { renderFleet } from '../../../../lib/emit/fleet.js';
import { type FleetFile, readFleet } from '../../../../lib/fleet/read-fleet.js';
import {
  FleetRendering,
  type RenderedFiles,
  renderFiles,
  renderPlainFile,
} from '../../../../lib/fleet/render-files.js';

const GATES = { allowedClusterRoles: [], allowedBindingNamespaces: [] };

const agent = (name: string, image = 'registry.example.net/hermes:v1'): string =>
  `apiVersion: hermes-gitops.dev/v1alpha1
kind: HermesAgent
metadata: {name: ${name}, namespace: lab}
spec:
  image: ${image}
  storage:
    persistentVolumeClaim:
      accessModes: [ReadWriteOnce]
      resources: {requests: {storage: 1Gi}}
`;

const file = (name: string, ...documents: string[]): FleetFile => ({
  name,
  bytes: Buffer.from(documents.join('---\n')),
});

const problemsOf = (...files: FleetFile[]): readonly string[] =>
  renderFiles(files, GATES, {}).problems.map(
    ({ rule, position }) => `${rule} ${position?.file ?? ''}:${position?.line ?? 0}:${position?.column ?? 0}`,
  );

describe('renderFiles', () => {
  it.each<Layout>(['FILE_PER_CHART', 'FILE_PER_APP', 'FILE_PER_RESOURCE', 'FOLDER_PER_CHART_FILE_PER_RESOURCE'])(
    'renders to what reading all first and rendering then gives, in %s',
    (layout) => {
      const files = [file('b.yaml', agent('mina'), agent('ada')), file('a.yaml', agent('lin'))];
      const rendered = renderFiles(files, GATES, { layout });
      expect(rendered.files).toEqual(renderFleet(readFleet(files, GATES).agents, { layout }).files);
      expect(rendered.agents).toBe(3);
    },
  );

  it('names an agent that is there twice beside the mistakes of others', () => {
    const found = problemsOf(
      file('a.yaml', agent('mina')),
      file('b.yaml', agent('ada', 'Not An Image'), agent('mina')),
    );
    expect(found).toEqual(['ImageSyntax b.yaml:5:10', 'DuplicateAgent b.yaml:13:18']);
  });

  it('gives no file of a fleet with a mistake, and counts the agents that have none', () => {
    const rendered = renderFiles([file('a.yaml', agent('mina'), agent('ada', 'Not An Image'))], GATES, {});
    expect(rendered.files.size).toBe(0);
    expect(rendered.agents).toBe(1);
  });

  it('says once for all files what is worth one warning', () => {
    const former = agent('mina').replace('hermes-gitops.dev', 'hermes.k8s.undermountain.cc');
    expect(problemsOf(file('a.yaml', former), file('b.yaml', former.replace('mina', 'ada')))).toEqual([
      'FormerGroup a.yaml:1:13',
    ]);
  });
});

/** The same files, of which some were rendered elsewhere where that is possible. */
function renderedElsewhere(files: readonly FleetFile[], isElsewhere: (index: number) => boolean): RenderedFiles {
  const fleet = new FleetRendering(GATES, {});
  files.forEach((one, index) => {
    const agents = isElsewhere(index) ? renderPlainFile(one, GATES, {}) : undefined;
    if (agents === undefined) fleet.add(one);
    else fleet.addRendered(one, agents);
  });
  return fleet.finish();
}

describe('files that are rendered elsewhere', () => {
  const run = (agentName: string): string => `apiVersion: hermes-gitops.dev/v1alpha1
kind: AgentRun
metadata: {name: sum-1, namespace: lab}
spec: {agentRef: {name: ${agentName}}, instructions: sum it up}
`;
  const skipped = 'apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n';

  it.each<[string, readonly FleetFile[]]>([
    ['agents alone', [file('b.yaml', agent('mina'), agent('ada')), file('a.yaml', agent('lin'))]],
    ['a run of an agent of another file', [file('a.yaml', run('mina')), file('b.yaml', agent('mina'))]],
    ['another kind', [file('a.yaml', skipped, agent('ada')), file('b.yaml', agent('mina'))]],
    ['an agent that is there twice', [file('a.yaml', agent('ada'), agent('mina')), file('b.yaml', agent('mina'))]],
    ['a mistake', [file('a.yaml', agent('mina')), file('b.yaml', agent('ada', 'Not An Image'))]],
    ['a run of a broken agent', [file('a.yaml', run('ada')), file('b.yaml', agent('ada', 'Not An Image'))]],
    ['no document', [file('a.yaml', ''), file('b.yaml', agent('ada'))]],
  ])('give the same tree, problems and notes: %s', (_, files) => {
    const want = renderFiles(files, GATES, {});
    for (const isElsewhere of [() => true, (index: number) => index === 0, (index: number) => index === 1]) {
      expect(renderedElsewhere(files, isElsewhere)).toEqual(want);
    }
  });

  it('are those with valid agents and nothing to say alone', () => {
    const names = (...documents: string[]): readonly string[] | undefined =>
      renderPlainFile(file('a.yaml', ...documents), GATES, {})?.map(({ unit }) => unit.name);
    expect(names(agent('mina'), agent('ada'))).toEqual(['mina', 'ada']);
    expect(names(agent('mina'), run('mina'))).toBeUndefined();
    expect(names(agent('mina'), skipped)).toBeUndefined();
    expect(names(agent('mina'), agent('ada', 'Not An Image'))).toBeUndefined();
  });
});
