import type { AgentRunSpec } from '../../api/generated/types.js';
import type { AgentSettings } from '../agent/agent-check.js';
import type { PathSegment } from '../problem.js';
import type { Reporter } from '../reporter.js';

/** A run under check, without its agent. */
export interface RunUnderCheck {
  /** With defaults. Parts that {@link hasErrors} names may have any shape. */
  readonly spec: AgentRunSpec;
  readonly settings: Pick<AgentSettings, 'flux'>;
  readonly hasErrors: (path: readonly PathSegment[]) => boolean;
}

/** A check of the run as a whole, and the fields of the spec that it reads. */
export interface RunCheck {
  readonly reads: readonly (keyof AgentRunSpec)[];
  readonly check: (run: RunUnderCheck, report: Reporter) => void;
}
