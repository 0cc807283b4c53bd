import { MAX_AGENT_NAME_LENGTH, MAX_RUN_NAME_LENGTH } from '../names.js';
import type { CelRule } from './json-schema.js';

const isLabel: CelRule = {
  rule: "self.metadata.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",
  message: "the name has to be a DNS label: lower-case letters, digits and '-', with a letter or digit at both ends",
};

/** What an agent may be called, so that every name derived from it is legal and no two agents or runs derive one name. */
export const agentNameRules: readonly CelRule[] = [
  {
    rule: `size(self.metadata.name) <= ${MAX_AGENT_NAME_LENGTH}`,
    message: `the name has to be at most ${MAX_AGENT_NAME_LENGTH} characters, because the Service hermes-<name>-dashboard is limited to 63`,
  },
  isLabel,
  {
    rule: "!self.metadata.name.endsWith('-dashboard')",
    message: "the name must not end in '-dashboard', which the Service of another agent's dashboard is called",
  },
  {
    rule: "!self.metadata.name.startsWith('run-')",
    message: "the name must not begin with 'run-', which the workloads of runs are called",
  },
];

/** What a run may be called, so that its Job is legal. */
export const runNameRules: readonly CelRule[] = [
  {
    rule: `size(self.metadata.name) <= ${MAX_RUN_NAME_LENGTH}`,
    message: `the name has to be at most ${MAX_RUN_NAME_LENGTH} characters, because the Job hermes-run-<name> is limited to 63`,
  },
  isLabel,
];
