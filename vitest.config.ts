import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.js';
import { PlainReporter } from './test/support/plain-reporter.js';

/** The integration tests mostly wait; each worker has a control plane of its own, and two fit into two cores. */
const WORKERS = 2;

export default defineConfig({
  test: {
    reporters: ['default', new PlainReporter()],
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          maxWorkers: WORKERS,
          include: ['test/unit/**/*.test.ts'],
          environment: 'node',
          // Property tests are cheap on an idle machine and must not fail on a busy one.
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          environment: 'node',
          globalSetup: ['test/cluster/global-setup.ts'],
          maxWorkers: WORKERS,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
