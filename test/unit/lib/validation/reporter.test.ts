import { expect, it } from 'vitest';
import type { Problem } from '../../../../lib/validation/problem.js';
import { Reporter } from '../../../../lib/validation/reporter.js';

it('takes more problems than an argument list holds', () => {
  const problem: Problem = { severity: 'error', rule: 'X', path: [], message: 'is wrong', hint: 'write another' };
  const report = new Reporter();
  report.addAll(Array.from({ length: 300_000 }, () => problem));
  expect(report.problems).toHaveLength(300_000);
});
