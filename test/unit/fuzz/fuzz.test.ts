import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fuzzInputs, validTexts } from '../../fuzz/inputs.js';
import { judgeBytes } from '../../fuzz/oracle.js';

it('keeps its promises for files of any kind', () => {
  let agents = 0;
  let runs = 0;
  let errors = 0;
  fc.assert(
    fc.property(fuzzInputs(), (bytes) => {
      const outcome = judgeBytes(bytes);
      agents += outcome.agents;
      runs += outcome.runs;
      errors += outcome.errors;
    }),
    { seed: 11, numRuns: 200 },
  );
  // Inputs that are all refused, or all taken, would prove little.
  expect(agents).toBeGreaterThan(10);
  expect(runs).toBeGreaterThan(10);
  expect(errors).toBeGreaterThan(50);
});

it.each(validTexts().map((text, index) => [index, text] as const))('takes the unchanged text %i', (_, text) => {
  expect(judgeBytes(new TextEncoder().encode(text)).errors).toBeLessThan(3);
});
