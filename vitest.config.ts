import { defineConfig } from 'vitest/config';
import { PlainReporter } from './test/support/plain-reporter.js';

export default defineConfig({
  test: {
    reporters: ['default', new PlainReporter()],
    projects: [
      {
        test: {
          name: 'unit',
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
          // One bed for all files: two API servers on two cores would only slow each other down.
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
