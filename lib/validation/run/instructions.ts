import type { PathSegment } from '../problem.js';
import type { Reporter } from '../reporter.js';
import type { RunCheck } from './run-check.js';

/** Longest argument of a process on Linux, in bytes (MAX_ARG_STRLEN without the byte that ends it). */
const MAX_ARGUMENT_BYTES = 131071;

const argumentsOfAProcess: RunCheck = {
  reads: ['instructions', 'command', 'args'],
  check: ({ spec }, report) => {
    checkArgument(spec.instructions ?? '', ['spec', 'instructions'], report);
    for (const field of ['command', 'args'] as const) {
      (spec[field] ?? []).forEach((text, index) => {
        checkArgument(text, ['spec', field, index], report);
      });
    }
  },
};

function checkArgument(text: string, path: readonly PathSegment[], report: Reporter): void {
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_ARGUMENT_BYTES) {
    const message = `is ${bytes} bytes long, and one argument of a process may have ${MAX_ARGUMENT_BYTES}`;
    report.error(path, { rule: 'Unusable', message, hint: 'put the text into a volume and say where it is' });
  }
  if (text.includes('\0')) {
    const message = 'contains a NUL character, which no argument of a process may have';
    report.error(path, { rule: 'Unusable', message, hint: 'remove it' });
  }
}

const readAsOption: RunCheck = {
  reads: ['instructions', 'args'],
  check: ({ spec: { instructions = '', args = [] } }, report) => {
    const path = ['spec', 'instructions'];
    if (args.length > 0 && instructions !== '') {
      const message = 'is not used, because args are set';
      report.warning(path, { rule: 'UnusedInstructions', message, hint: 'remove one of the two' });
    } else if (instructions.startsWith('-')) {
      const message = 'begins with -, which the command line of the agent may take for an option';
      report.warning(path, { rule: 'LeadingDash', message, hint: 'begin with a word' });
    }
  },
};

/** What a run is told to do. */
export const instructionChecks: readonly RunCheck[] = [argumentsOfAProcess, readAsOption];
