import type { Reporter, TestModule, TestRunEndReason } from 'vitest/node';

/** Ends the run with one plain line of counts, for scripts that read nothing else. */
export class PlainReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[], reason: TestRunEndReason): void {
    const counts = { passed: 0, failed: errors.length, skipped: 0 };
    for (const module of modules) {
      // A file that fails before its first test has no test to count.
      if (module.errors().length > 0) counts.failed += 1;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        counts[state === 'passed' || state === 'failed' ? state : 'skipped'] += 1;
      }
    }
    // A setup that fails before any file has neither a test nor an error here.
    if (reason === 'failed' && counts.failed === 0) counts.failed = 1;
    process.once('exit', () => {
      process.stdout.write(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
    });
  }
}
