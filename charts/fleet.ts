import { Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import { HermesAgent } from '../lib/constructs/hermes-agent.js';
import type { SourcedAgent } from '../lib/emit/rendered-agent.js';

/** One chart for each agent of a fleet that was read from files. */
export class AgentChart extends Chart {
  readonly agent: HermesAgent;

  constructor(scope: Construct, { agent: { object, name, namespace } }: SourcedAgent) {
    super(scope, `${namespace}-${name}`, { namespace, disableResourceNameHashes: true });
    this.agent = new HermesAgent(this, 'agent', { metadata: object.metadata, spec: object.spec });
  }
}
