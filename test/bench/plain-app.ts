import { App, Chart } from 'cdk8s';
import { HermesAgent } from '../../lib/index.js';
import { agentManifest } from './fleet.js';

// The fleet as one plain cdk8s App, for comparison: `plain-app.ts <agents> <output folder>`.
const [count, outdir] = process.argv.slice(2);
const app = new App({ outdir: outdir ?? '' });
const chart = new Chart(app, 'fleet');
for (let index = 0; index < Number(count); index++) {
  const { metadata, spec } = agentManifest(index) as ConstructorParameters<typeof HermesAgent>[2];
  new HermesAgent(chart, `agent-${index}`, { metadata, spec });
}
app.synth();
