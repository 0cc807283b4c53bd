import { join } from 'node:path';
import { App, Yaml } from 'cdk8s';
import { ExampleChart } from '../../charts/example-chart.js';

/** What the example chart has to render to. */
export const EXAMPLE_CHART_OUTPUT = join(import.meta.dirname, '..', 'golden-charts', 'example-chart.yaml');

/** What the example chart renders to, validated as cdk8s validates it. */
export function exampleChartOutput(): string {
  const app = new App();
  const chart = new ExampleChart(app, 'example');
  const problems = chart.node.findAll().flatMap((construct) => construct.node.validate());
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return Yaml.stringify(...(chart.toJson() as readonly object[]));
}
