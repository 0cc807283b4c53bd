import type { ClusterFlags } from '../cluster/connect.js';

/** Arguments of `run`. */
export interface RunOptions extends ClusterFlags {
  readonly agent: string;
  readonly instructions: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly workload: 'Job' | 'Sandbox';
  readonly startupDeadline?: number;
  readonly activeDeadline?: number;
  readonly ttl?: number;
  /** Print the objects and create nothing. */
  readonly output?: 'yaml';
  readonly wait: boolean;
  /** Seconds to wait at most; 0 for no end. */
  readonly timeout: number;
}
