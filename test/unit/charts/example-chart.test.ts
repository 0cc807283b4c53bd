import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { EXAMPLE_CHART_OUTPUT, exampleChartOutput } from '../../support/example-chart.js';

const ROOT = join(import.meta.dirname, '..', '..', '..');

it('renders an agent beside other constructs, with its patches', () => {
  const output = exampleChartOutput();
  expect(output).toBe(readFileSync(EXAMPLE_CHART_OUTPUT, 'utf8'));
  expect(output.match(/^kind: .*$/gm)).toEqual([
    'kind: Namespace',
    'kind: HermesAgent',
    'kind: ServiceAccount',
    'kind: Role',
    'kind: RoleBinding',
    'kind: PersistentVolumeClaim',
    'kind: Service',
    'kind: ConfigMap',
    'kind: Deployment',
  ]);
  expect(output).toContain('\n  ipFamilyPolicy: PreferDualStack\n');
  expect(output).toContain('\n    example.net/owner: support\n');
});

it('is shown in the docs as it is', () => {
  const source = readFileSync(join(ROOT, 'charts', 'example-chart.ts'), 'utf8');
  const shown = source.replace("'../lib/index.js'", "'hermes-gitops'");
  expect(shown).not.toBe(source);
  expect(readFileSync(join(ROOT, 'docs', 'constructs.md'), 'utf8')).toContain(`\`\`\`ts\n${shown}\`\`\`\n`);
});
