import type { HermesAgentSpec } from '../../api/generated/types.js';
import type { InputMetadata } from '../../api/hermes-agent.js';
import type { PathSegment } from '../problem.js';
import type { Reporter } from '../reporter.js';

/** What the platform allows to agents. */
export interface AgentSettings {
  readonly allowedClusterRoles: readonly string[];
  readonly allowedBindingNamespaces: readonly string[];
  /** Whether the output is for Flux: rendering then takes care of `${…}`. */
  readonly flux?: boolean;
  /** Namespace of the controller, which rendering lets reach the dashboard. Empty for no such rule. */
  readonly controllerNamespace?: string;
}

/** An agent under check. */
export interface AgentUnderCheck {
  /** With defaults. Parts that {@link hasErrors} names may have any shape. */
  readonly spec: HermesAgentSpec;
  readonly metadata: InputMetadata | undefined;
  readonly settings: AgentSettings;
  readonly hasErrors: (path: readonly PathSegment[]) => boolean;
}

/** A check of the agent as a whole, and the fields of the spec that it reads. */
export interface AgentCheck {
  readonly reads: readonly (keyof HermesAgentSpec)[];
  readonly check: (agent: AgentUnderCheck, report: Reporter) => void;
}
