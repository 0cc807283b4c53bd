import type { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import type { AgentRunSpec } from '../api/generated/types.js';
import { RUN_KIND } from '../api/identity.js';
import { readFormerRun } from '../runs/former-run.js';
import { neighboursOf } from '../runs/neighbours.js';
import { resolveRun } from '../runs/resolve-run.js';
import { withoutWorkloadDigest } from '../runs/workload-digest.js';
import type { Problem } from '../validation/problem.js';
import { validateRun } from '../validation/validate-run.js';
import type { HermesAgent, HermesAgentMetadata } from './hermes-agent.js';
import { claimObjects } from './claimed-objects.js';
import { apiObject, errorTexts, inputObject } from './input-object.js';
import { besides } from './plain-data.js';

/** A run, its agent, and what it was rendered to before. */
export interface AgentRunProps {
  readonly metadata: HermesAgentMetadata;
  readonly spec: AgentRunSpec;
  /**
   * The agent that `spec.agentRef` names.
   * @default - none; the run has an image of its own
   */
  readonly agent?: HermesAgent;
  /**
   * Text of the file that the run was written to before. While the spec is the same, the workload stays as it is there,
   * whatever has become of the agent: a Job cannot be changed once it exists.
   * @default - the run is rendered anew
   */
  readonly former?: string;
  /**
   * Keep Flux from substituting `${…}` in what is rendered.
   * @default false
   */
  readonly flux?: boolean;
}

/**
 * One execution of an agent to completion, as an AgentRun and a Job or Sandbox.
 *
 * A run that is not valid renders nothing: what is wrong is reported, with all other problems of the app, when the app
 * is synthesized. Its members are undefined until then.
 */
export class AgentRun extends Construct {
  /** The AgentRun object itself. */
  readonly agentRun: ApiObject | undefined;
  /** The Job, or the Sandbox. */
  readonly workload: ApiObject | undefined;
  /** Errors and warnings about this run. */
  readonly problems: readonly Problem[];

  constructor(scope: Construct, id: string, props: AgentRunProps) {
    super(scope, id);
    const options = { flux: props.flux ?? false };
    const input = inputObject(this, RUN_KIND, props);
    const { run: found, problems } = validateRun(input.data, options);
    const run = input.problems.length === 0 ? found : undefined;
    const former =
      run === undefined || props.former === undefined
        ? undefined
        : readFormerRun(Buffer.from(props.former), run, 'former');
    const { agent } = props;
    const neighbours = {
      ...neighboursOf(agent?.resolved === undefined ? [] : [agent.resolved]),
      // What is wrong with the agent is said there.
      isBroken: () => agent !== undefined && agent.resolved === undefined,
    };
    const resolution = run === undefined ? { problems: [] } : resolveRun(run, former, neighbours, options);
    const { children } = resolution;
    const taken = children === undefined ? [] : claimObjects(this, [children.agentRun, children.workload]);
    this.problems = [...besides(input.problems, problems), ...resolution.problems.map(inTypeScript), ...taken];
    const errors = errorTexts(this.problems);
    this.node.addValidation({ validate: () => [...errors] });

    const own = taken.length > 0 ? undefined : children;
    this.agentRun = own && apiObject(this, 'agent-run', own.agentRun);
    // A chart may add labels and patches, which the digest of a file would not cover.
    this.workload = own && apiObject(this, 'workload', withoutWorkloadDigest(own.workload));
  }
}

/** Here an agent is passed along, where files are read together. */
function inTypeScript(problem: Problem): Problem {
  if (problem.rule !== 'AgentNotFound') return problem;
  return {
    ...problem,
    message: 'is not the agent that was passed along',
    hint: 'pass the HermesAgent of this name and namespace as agent',
  };
}
