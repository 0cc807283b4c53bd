import { Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import { AgentRun } from '../lib/constructs/agent-run.js';
import { HermesAgent } from '../lib/constructs/hermes-agent.js';
import type { SourcedAgent } from '../lib/emit/rendered-agent.js';
import type { SourcedRun } from '../lib/emit/rendered-run.js';

/** One chart for each agent of a fleet that was read from files. */
export class AgentChart extends Chart {
  readonly agent: HermesAgent;

  constructor(scope: Construct, { agent: { object, name, namespace } }: SourcedAgent) {
    super(scope, `${namespace}-${name}`, { namespace, disableResourceNameHashes: true });
    this.agent = new HermesAgent(this, 'agent', { metadata: object.metadata, spec: object.spec });
  }
}

/** What a run of a fleet needs beside the file that it was read from. */
export interface RunSurroundings {
  readonly agent: HermesAgent | undefined;
  /** Text of the file that it was rendered to before. */
  readonly former: string | undefined;
}

/** One chart for each run of a fleet that was read from files. */
export class RunChart extends Chart {
  readonly agentRun: AgentRun;

  constructor(scope: Construct, { run: { object, name, namespace } }: SourcedRun, { agent, former }: RunSurroundings) {
    super(scope, `${namespace}-runs-${name}`, { namespace, disableResourceNameHashes: true });
    this.agentRun = new AgentRun(this, 'run', {
      metadata: object.metadata,
      spec: object.spec,
      ...(agent && { agent }),
      ...(former !== undefined && { former }),
    });
  }
}
