import { parseArgs } from 'node:util';
import { benchSynth } from './synth.js';

// `npm run bench`: what the README says of times and memory, measured on this machine. `-- synth` runs one part.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { sizes: { type: 'string', default: '100,1000,10000' } },
});
const parts = positionals.length > 0 ? positionals : ['synth'];
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

if (parts.includes('synth')) await benchSynth(values.sizes.split(',').map(Number), say);
