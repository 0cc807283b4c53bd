import type { Reporter } from '../reporter.js';
import type { AgentCheck, AgentUnderCheck } from './agent-check.js';
import { bindingChecks } from './bindings.js';
import { clashChecks } from './clashes.js';
import { dashboardChecks } from './dashboard.js';
import { envFileCheck } from './env-files.js';
import { imageChecks } from './image.js';
import { nameChecks } from './names.js';
import { networkPolicyCheck } from './network-policy.js';
import { settingsCheck } from './settings.js';
import { surpriseChecks } from './surprises.js';

const AGENT_CHECKS: readonly AgentCheck[] = [
  settingsCheck,
  ...imageChecks,
  ...nameChecks,
  ...clashChecks,
  envFileCheck,
  ...bindingChecks,
  ...dashboardChecks,
  networkPolicyCheck,
  ...surpriseChecks,
];

/** Runs every check whose fields are in order. */
export function checkAgent(agent: AgentUnderCheck, report: Reporter): void {
  for (const { reads, check } of AGENT_CHECKS) {
    if (!reads.some((field) => agent.hasErrors(['spec', field]))) check(agent, report);
  }
}
