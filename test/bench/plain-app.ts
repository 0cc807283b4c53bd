import { App, Chart } from 'cdk8s';
import { HermesAgent } from '../../lib/index.js';
import { agentManifest } from './fleet.js';

// The fleet as one plain cdk8s App, for comparison: `plain-app.js <agents> <output folder> <one-chart | chart-per-agent>`.
// One chart gives one file with every agent in it; a chart for each agent gives the files that synth gives.
const [count, outdir, charts] = process.argv.slice(2);
const app = new App({ outdir: outdir ?? '' });
const shared = charts === 'one-chart' ? new Chart(app, 'fleet') : undefined;
for (let index = 0; index < Number(count); index++) {
  const { metadata, spec } = agentManifest(index) as ConstructorParameters<typeof HermesAgent>[2];
  const chart = shared ?? new Chart(app, `${metadata.namespace ?? ''}-${metadata.name}`);
  new HermesAgent(chart, `agent-${index}`, { metadata, spec });
}
app.synth();
