import type { ResolvedRun } from '../../api/agent-run.js';
import { withoutFluxSubstitution } from '../flux-substitution.js';
import type { KubeManifest } from '../manifest.js';
import type { RenderOptions } from '../render-agent.js';
import { renderAgentRun } from './agent-run.js';
import { renderRunJob } from './job.js';
import { renderRunSandbox } from './sandbox.js';

/** The two objects of a run, each under the name that the construct exposes it by. */
export interface RunChildren {
  readonly agentRun: KubeManifest;
  /** A Job or a Sandbox. */
  readonly workload: KubeManifest;
}

/** All that a run renders to, in the order of application. */
export function renderRunChildren(run: ResolvedRun, options: Pick<RenderOptions, 'flux'> = {}): RunChildren {
  const workload = run.spec.workload === 'Sandbox' ? renderRunSandbox(run) : renderRunJob(run);
  const children = { agentRun: renderAgentRun(run), workload };
  if (options.flux !== true) return children;
  return {
    agentRun: withoutFluxSubstitution(children.agentRun),
    workload: withoutFluxSubstitution(children.workload),
  };
}

/** The manifests of a run in the order of application. */
export function renderRun(run: ResolvedRun, options: Pick<RenderOptions, 'flux'> = {}): readonly KubeManifest[] {
  const { agentRun, workload } = renderRunChildren(run, options);
  return [agentRun, workload];
}
