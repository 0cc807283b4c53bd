import type { EnvVar } from '../../api/generated/types.js';
import { POD_VARIABLES } from '../../children/env.js';
import { warnOfFormerLabel } from '../native/warnings.js';
import type { PathSegment } from '../problem.js';
import type { Reporter } from '../reporter.js';
import type { AgentCheck } from './agent-check.js';

/** What Flux replaces when an engine is told to substitute variables. */
const SUBSTITUTION = '${';

/** Variables that rendering sets last, so that they win over the agent's own. */
const STAMPED: readonly string[] = [...POD_VARIABLES, 'HERMES_PROFILE', 'HERMES_DEPLOYMENT'];

const substitution: AgentCheck = {
  reads: [],
  check: ({ spec, settings }, report) => {
    if (settings.flux !== true) warnOfSubstitution(spec, ['spec'], report);
  },
};

/** Warns of every text that Flux would change. `path` grows and shrinks with the walk, as few values need one of their own. */
export function warnOfSubstitution(value: unknown, path: PathSegment[], report: Reporter): void {
  if (typeof value === 'string') {
    if (!value.includes(SUBSTITUTION)) return;
    const message = 'contains ${, which Flux replaces when it substitutes variables';
    const hint = 'render with --flux when Flux applies the output';
    report.warning([...path], { rule: 'FluxSubstitution', message, hint });
  } else if (typeof value === 'object' && value !== null) {
    const isList = Array.isArray(value);
    for (const [key, field] of Object.entries(value) as [string, unknown][]) {
      path.push(isList ? Number(key) : key);
      warnOfSubstitution(field, path, report);
      path.pop();
    }
  }
}

const overridden: AgentCheck = {
  reads: ['env', 'llmDefaultProvider'],
  check: ({ spec }, report) => {
    const hasProvider = (spec.llmDefaultProvider ?? '') !== '';
    const stamped = hasProvider ? [...STAMPED, 'HERMES_INFERENCE_PROVIDER'] : STAMPED;
    warnOfOverridden(spec.env ?? [], stamped, report);
  },
};

/** Warns of variables of `spec.env` that are among those that rendering sets. */
export function warnOfOverridden(env: readonly EnvVar[], stamped: readonly string[], report: Reporter): void {
  env.forEach(({ name }, index) => {
    if (!stamped.includes(name)) return;
    const message = `${name} is set by rendering, whose value wins`;
    report.warning(['spec', 'env', index, 'name'], { rule: 'OverriddenVariable', message, hint: 'remove it' });
  });
}

const formerLabels: AgentCheck = {
  reads: ['nodeSelector'],
  check: ({ spec }, report) => {
    for (const key of Object.keys(spec.nodeSelector ?? {})) {
      warnOfFormerLabel(key, ['spec', 'nodeSelector', key], report);
    }
  },
};

/** What is legal and does something else than its author may think. */
export const surpriseChecks: readonly AgentCheck[] = [substitution, overridden, formerLabels];
