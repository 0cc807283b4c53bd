import type { RunFacts } from './run-facts.js';
import { instant } from './times.js';

/** How long a run may take to start. */
export interface StartupDeadline {
  readonly seconds: number;
  /** Milliseconds until it has passed; 0 or less when it has. */
  readonly remainingMs: number;
}

/**
 * The deadline of a run that has not started: of its spec, else of the controller. It counts from stored times, so that
 * a restart of the controller changes nothing. Undefined where there is none; while somebody else holds the workload back,
 * as Kubernetes gives a workload that goes on a new start, so that the clock stands still until then; and once the
 * workload says that it has ended, which only waits for the word of its pod.
 */
export function startupDeadline(facts: RunFacts): StartupDeadline | undefined {
  const { spec, options, workload, now } = facts;
  const seconds = spec.startupDeadlineSeconds ?? options.startupDeadlineSeconds;
  if (seconds <= 0 || workload?.isSuspended === true || workload?.end !== undefined) return undefined;
  const from = workload?.startedAt ?? instant(facts.run.metadata.creationTimestamp);
  return from === undefined ? undefined : { seconds, remainingMs: from + seconds * 1000 - now };
}
