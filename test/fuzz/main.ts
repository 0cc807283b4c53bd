import fc from 'fast-check';
import { fuzzInputs } from './inputs.js';
import { judgeBytes } from './oracle.js';

/**
 * `npm run fuzz [-- <seconds> [<seed>]]`: feeds files of all kinds to the reader and the renderer until the time is up,
 * and exits 1 with the smallest input found that breaks a promise.
 */
const [seconds = 60, seed = Date.now() % 2 ** 31] = process.argv.slice(2).map(Number);
process.stdout.write(`seed ${seed}, ${seconds} s\n`);

let inputs = 0;
let agents = 0;
let runs = 0;
let slowest = 0;
const result = fc.check(
  fc.property(fuzzInputs(), (bytes) => {
    const start = performance.now();
    const outcome = judgeBytes(bytes);
    agents += outcome.agents;
    runs += outcome.runs;
    slowest = Math.max(slowest, performance.now() - start);
    inputs += 1;
  }),
  { seed, numRuns: Number.MAX_SAFE_INTEGER, plugins: [fc.interruptAfterTimeLimit(seconds * 1000)] },
);

process.stdout.write(
  `${inputs} inputs, ${agents} valid agents, ${runs} valid runs, slowest ${Math.round(slowest)} ms\n`,
);
if (result.counterexample !== null) {
  const [bytes] = result.counterexample as unknown as readonly [Uint8Array];
  const reason =
    result.errorInstance instanceof Error ? (result.errorInstance.stack ?? '') : String(result.errorInstance);
  process.stderr.write(`${reason}\n\nthe input, as base64 and as text:\n${Buffer.from(bytes).toString('base64')}\n`);
  process.stderr.write(`${Buffer.from(bytes).toString('utf8')}\n\nagain: npm run fuzz -- ${seconds} ${seed}\n`);
  process.exitCode = 1;
}
