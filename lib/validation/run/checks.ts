import { POD_VARIABLES } from '../../children/env.js';
import { checkImage } from '../agent/image.js';
import { warnOfOverridden, warnOfSubstitution } from '../agent/surprises.js';
import type { Reporter } from '../reporter.js';
import { instructionChecks } from './instructions.js';
import type { RunCheck, RunUnderCheck } from './run-check.js';
import { volumeChecks } from './volumes.js';

const image: RunCheck = {
  reads: ['image'],
  check: ({ spec }, report) => {
    if (spec.image !== undefined) checkImage(spec.image, ['spec', 'image'], report);
  },
};

const substitution: RunCheck = {
  reads: [],
  check: ({ spec, settings }, report) => {
    if (settings.flux !== true) warnOfSubstitution(spec, ['spec'], report);
  },
};

const overridden: RunCheck = {
  reads: ['env', 'agentRef'],
  check: ({ spec }, report) => {
    const stamped = spec.agentRef === undefined ? POD_VARIABLES : [...POD_VARIABLES, 'HERMES_PROFILE'];
    warnOfOverridden(spec.env ?? [], stamped, report);
  },
};

const RUN_CHECKS: readonly RunCheck[] = [image, ...instructionChecks, ...volumeChecks, substitution, overridden];

/** Runs every check whose fields are in order. */
export function checkRun(run: RunUnderCheck, report: Reporter): void {
  for (const { reads, check } of RUN_CHECKS) {
    if (!reads.some((field) => run.hasErrors(['spec', field]))) check(run, report);
  }
}
