import { dashboardName, MAX_AGENT_NAME_LENGTH } from '../names.js';
import type { BrokenRule } from './cel-rules.js';
import { formatPath, type Problem } from './problem.js';

/** What to write where a rule of the CRD fails, by the place of the rule. */
const HINTS: Readonly<Record<string, string>> = {
  spec: 'write the name of one of llmProviders, or add it there',
  'spec.storage': 'keep one of the two; an empty one counts as absent',
  'spec.storage.persistentVolumeClaim': 'add accessModes: [ReadWriteOnce] and resources: {requests: {storage: 10Gi}}',
  'spec.dashboard.ingress': 'add it, or set enabled: false',
};

/** A failed rule of the CRD with what to write instead; rules of the whole object speak of its name. */
export function withHint(problem: BrokenRule, name: unknown): Problem {
  if (problem.path.length > 0) {
    const hint = HINTS[formatPath(problem.path)] ?? 'change the value to what the rule asks';
    return { ...problem, hint };
  }
  return { ...problem, path: ['metadata', 'name'], hint: nameHint(typeof name === 'string' ? name : '') };
}

/** Longest name that is shown whole. */
const MAX_SHOWN = 80;

function nameHint(name: string): string {
  if (name.length > MAX_AGENT_NAME_LENGTH) {
    const derived = dashboardName(name);
    const shown = derived.length > MAX_SHOWN ? dashboardName(`${name.slice(0, MAX_AGENT_NAME_LENGTH)}…`) : derived;
    return `shorten it: ${shown} has ${derived.length} characters, and 63 is the limit`;
  }
  const label = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return label === '' || label === name ? 'choose another name' : `write ${label}`;
}
