import { parseArgs } from 'node:util';
import { benchController } from './controller.js';
import { benchProbe } from './probe.js';
import { benchRuns } from './runs.js';
import { benchSynth } from './synth.js';

// `npm run bench`: what the README says of times and memory, measured on this machine. `-- synth`, `-- controller`,
// `-- runs` or `-- probe` runs one part.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sizes: { type: 'string', default: '100,1000,5000,10000' },
    agents: { type: 'string', default: '500' },
    runs: { type: 'string', default: '1000' },
    dashboards: { type: 'string', default: '1000' },
  },
});
const parts = positionals.length > 0 ? positionals : ['synth', 'controller', 'runs', 'probe'];
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

if (parts.includes('synth')) await benchSynth(values.sizes.split(',').map(Number), say);
if (parts.includes('controller')) {
  for (const agents of values.agents.split(',')) await benchController(Number(agents), say);
}
if (parts.includes('runs')) await benchRuns(Number(values.runs), say);
if (parts.includes('probe')) await benchProbe(Number(values.dashboards), say);
process.exit();
