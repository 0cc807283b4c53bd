import { completeConditions } from '../status/conditions.js';
import type { ObservedRun } from './observed-run.js';
import type { RunVerdict } from './run-verdict.js';

/**
 * The verdict on a run, from what is observed of it and the server's time in milliseconds. Pure: the same observation at
 * the same time gives the same bytes, nothing is changed, nothing is asked, and nothing throws, whatever was stored.
 */
export function judgeRun({ run }: ObservedRun, now: number): RunVerdict {
  const generation = run.metadata.generation ?? 0;
  const pending = { status: 'Unknown', reason: 'Pending', message: 'pod not created yet' } as const;
  const context = { former: run.status?.conditions ?? [], generation, now };
  const conditions = completeConditions(new Map([['Succeeded', pending]]), context);
  return {
    status: { observedGeneration: generation, phase: 'Pending', conditions },
    reap: { kind: 'keep' },
    events: [],
  };
}
