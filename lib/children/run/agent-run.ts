import type { ValidRun } from '../../api/agent-run.js';
import { renderInput } from '../hermes-agent.js';
import type { KubeManifest } from '../manifest.js';

/** The run itself, in canonical form. */
export function renderAgentRun(run: ValidRun): KubeManifest {
  return renderInput(run.object);
}
