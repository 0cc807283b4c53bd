import { dashboardName, MAX_AGENT_NAME_LENGTH, MAX_RUN_NAME_LENGTH, runWorkloadName } from '../names.js';
import type { BrokenRule } from './cel-rules.js';
import { formatPath, type Problem } from './problem.js';

/** What to write where a rule of a CRD fails. */
export interface RuleHints {
  /** By the place of the rule, or by its message where one place has several. */
  readonly byRule: Readonly<Record<string, string>>;
  /** Longest name, and the derived name that it is limited for. */
  readonly maxNameLength: number;
  readonly derivedName: (name: string) => string;
}

/** Hints for HermesAgent. */
export const AGENT_HINTS: RuleHints = {
  byRule: {
    spec: 'write the name of one of llmProviders, or add it there',
    'spec.storage': 'keep one of the two; an empty one counts as absent',
    'spec.storage.persistentVolumeClaim': 'add accessModes: [ReadWriteOnce] and resources: {requests: {storage: 10Gi}}',
    'spec.dashboard.ingress': 'add it, or set enabled: false',
  },
  maxNameLength: MAX_AGENT_NAME_LENGTH,
  derivedName: dashboardName,
};

/** Hints for AgentRun. */
export const RUN_HINTS: RuleHints = {
  byRule: {
    'exactly one of agentRef and image has to be set':
      'write agentRef: {name: …} to run as one of the agents, or image: … to run alone',
    'one of instructions, args and command has to be set': 'add instructions: …',
  },
  maxNameLength: MAX_RUN_NAME_LENGTH,
  derivedName: runWorkloadName,
};

/** A failed rule of a CRD with what to write instead; rules of the whole object speak of its name. */
export function withHint(problem: BrokenRule, name: unknown, hints: RuleHints): Problem {
  if (problem.path.length > 0) {
    const { byRule } = hints;
    const hint =
      byRule[problem.message] ?? byRule[formatPath(problem.path)] ?? 'change the value to what the rule asks';
    return { ...problem, hint };
  }
  return { ...problem, path: ['metadata', 'name'], hint: nameHint(typeof name === 'string' ? name : '', hints) };
}

/** Longest name that is shown whole. */
const MAX_SHOWN = 80;

function nameHint(name: string, { maxNameLength, derivedName }: RuleHints): string {
  if (name.length > maxNameLength) {
    const derived = derivedName(name);
    const shown = derived.length > MAX_SHOWN ? derivedName(`${name.slice(0, maxNameLength)}…`) : derived;
    return `shorten it: ${shown} has ${derived.length} characters, and 63 is the limit`;
  }
  const label = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return label === '' || label === name ? 'choose another name' : `write ${label}`;
}
