import { specDigest } from '../lib/api/digest.js';
import { validateStoredSpec } from '../lib/validation/validate-agent.js';
import type { ControllerRules } from './main.js';
import { judgeRun } from './runs/run-status.js';
import { computeAgentStatus } from './status/agent-status.js';
import { secretReferences } from './status/secret-references.js';

/** The rules of production. */
export const CONTROLLER_RULES: ControllerRules = {
  validate: validateStoredSpec,
  digest: (spec) => specDigest(spec),
  secretReferences,
  compute: computeAgentStatus,
  judgeRun,
};
