import { describe, expect, it } from 'vitest';

import type { Layout } from '../../../../lib/emit/layout.js';
import { renderFleet } from '../../../../lib/emit/fleet.js';
import { type FleetFile, readFleet } from '../../../../lib/fleet/read-fleet.js';
import { renderFiles } from '../../../../lib/fleet/render-files.js';

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
