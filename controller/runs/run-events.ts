import { RUN_CONDITION_TYPES, RUN_EVENT_REASONS, RUN_REASONS } from '../../lib/api/run-reasons.js';
import { formerCondition, type RunFacts } from './run-facts.js';
import type { RunEvent, RunPhase, RunStatus, StopOrder } from './run-verdict.js';

const OF_PHASE: Readonly<Partial<Record<RunPhase, Pick<RunEvent, 'type' | 'reason'>>>> = {
  Running: { type: 'Normal', reason: RUN_EVENT_REASONS.runStarted },
  Succeeded: { type: 'Normal', reason: RUN_EVENT_REASONS.runSucceeded },
  Failed: { type: 'Warning', reason: RUN_EVENT_REASONS.runFailed },
};

/** What is worth an event of the step from the stored status to this one. */
export function runEvents(facts: RunFacts, status: RunStatus, stop: StopOrder | undefined): readonly RunEvent[] {
  const { formerPhase } = facts;
  const succeeded = status.conditions.find(({ type }) => type === RUN_CONDITION_TYPES.succeeded);
  const reapable = status.conditions.find(({ type }) => type === RUN_CONDITION_TYPES.reapable);
  const said = OF_PHASE[status.phase];
  const events: (RunEvent | undefined)[] = [
    said !== undefined && formerPhase !== status.phase
      ? { ...said, action: 'PhaseChanged', note: `${succeeded?.reason ?? ''}: ${succeeded?.message ?? ''}` }
      : undefined,
    stop?.reason === 'Restarted'
      ? {
          type: 'Warning',
          reason: RUN_EVENT_REASONS.runRestarted,
          action: 'Stop',
          note: `another ${stop.kind} ${stop.name} appeared for a run that is over, and is stopped: a run is done once`,
        }
      : undefined,
    isNewly(RUN_REASONS.recreatedByEngine, reapable?.reason, facts)
      ? {
          type: 'Warning',
          reason: RUN_EVENT_REASONS.recreatedByEngine,
          action: 'Reap',
          note: 'this run was deleted after its TTL and came back: take it out of Git, or its TTL',
        }
      : undefined,
  ];
  return events.filter((event) => event !== undefined);
}

function isNewly(reason: string, present: string | undefined, facts: RunFacts): boolean {
  return present === reason && formerCondition(facts, RUN_CONDITION_TYPES.reapable)?.reason !== reason;
}
