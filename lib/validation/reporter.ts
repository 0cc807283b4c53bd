import type { PathSegment, Problem } from './problem.js';

/** What a check says of one place. */
export interface Complaint {
  readonly rule: string;
  readonly message: string;
  readonly hint: string;
}

/** Collects problems; every check writes into one, so that all problems are reported in one run. */
export class Reporter {
  readonly problems: Problem[] = [];

  /** Takes over what another check found. One by one: an argument list of a hundred thousand overflows the stack. */
  addAll(problems: Iterable<Problem>): void {
    for (const problem of problems) this.problems.push(problem);
  }

  error(path: readonly PathSegment[], complaint: Complaint): void {
    this.problems.push({ severity: 'error', path, ...complaint });
  }

  warning(path: readonly PathSegment[], complaint: Complaint): void {
    this.problems.push({ severity: 'warning', path, ...complaint });
  }
}
