import { describe, expect, it } from 'vitest';
import { backoffDelay } from '../../../../controller/timing/backoff.js';

describe('backoffDelay', () => {
  it.each([
    { failures: 0, random: 1, want: 0 },
    { failures: 1, random: 0, want: 1000 },
    { failures: 1, random: 1, want: 1250 },
    { failures: 3, random: 0, want: 4000 },
    { failures: 6, random: 0, want: 30_000 },
    { failures: 6, random: 1, want: 30_000 },
    { failures: 5000, random: 0.5, want: 30_000 },
  ])('is $want after $failures failures with random $random', ({ failures, random, want }) => {
    const options = { baseMs: 1000, maxMs: 30_000, jitter: 0.25, random: () => random };
    expect(backoffDelay(failures, options)).toBe(want);
  });
});
