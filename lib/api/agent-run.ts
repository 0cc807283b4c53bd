import type { AgentRunSpec } from './generated/types.js';
import type { InputMetadata, ResolvedAgent, WithDefaults } from './hermes-agent.js';
import type { API_VERSION, RUN_KIND } from './identity.js';

/** An AgentRun as people write it, after it was found valid. */
export interface AgentRunObject {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: typeof RUN_KIND;
  readonly metadata: InputMetadata;
  readonly spec: AgentRunSpec;
}

/** A spec in which every field that the CRD gives a default is filled in. */
export type ResolvedRunSpec = WithDefaults<AgentRunSpec, 'workload'>;

/** A run that is valid by itself; whether its agent exists is not known yet. */
export interface ValidRun {
  /** The input in canonical form, rendered as it is. */
  readonly object: AgentRunObject;
  readonly name: string;
  readonly namespace: string;
  /** {@link AgentRunObject.spec} with every default filled in. */
  readonly spec: ResolvedRunSpec;
  /** `v1:` and the SHA-256 of the canonical spec, as the workload carries it. */
  readonly digest: string;
}

/** A valid run with the agent that it names, ready to be rendered. */
export interface ResolvedRun extends ValidRun {
  /** Undefined for a run with an image of its own. */
  readonly agent: ResolvedAgent | undefined;
}
