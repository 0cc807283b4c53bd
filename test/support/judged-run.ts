import type { Pod } from '../../controller/kube/objects.js';
import type { ObservedRun } from '../../controller/runs/observed-run.js';
import { judgeRun } from '../../controller/runs/run-status.js';
import type { RunStatus, RunVerdict } from '../../controller/runs/run-verdict.js';
import { deepFreeze } from './deep-freeze.js';
import { NOW, observedRun, stored } from './observed-run.js';

/** What a person reads of a status. */
export interface Said {
  readonly phase: RunStatus['phase'];
  readonly reason: string | undefined;
  readonly message: string | undefined;
}

/** The verdict on an observation that nobody may change. */
export function judge(observed: ObservedRun, now = NOW): RunVerdict {
  return judgeRun(deepFreeze(observed), now);
}

/** Phase, and what Succeeded says. */
export function said(observed: ObservedRun, now = NOW): Said {
  const { status } = judge(observed, now);
  const succeeded = status.conditions.find(({ type }) => type === 'Succeeded');
  return { phase: status.phase, reason: succeeded?.reason, message: succeeded?.message };
}

/** Status, reason and message of a condition; undefined where it is absent. */
export function condition(observed: ObservedRun, type: string, now = NOW): object | undefined {
  const found = judge(observed, now).status.conditions.find((candidate) => candidate.type === type);
  return found && { status: found.status, reason: found.reason, message: found.message };
}

/** Looks at a run whose pod goes through these states, and stores each time what was judged; a line a look. */
export function play(
  states: readonly (readonly [atSecond: number, pod: Pod])[],
  options: Partial<ObservedRun['options']>,
): readonly string[] {
  let observed = observedRun({ options });
  return states.map(([second, pod]) => {
    observed = { ...observed, pods: [pod] };
    const { status, recheckAfterMs } = judge(observed, NOW + second * 1000);
    observed = stored(observed, status);
    const wait = recheckAfterMs === undefined ? '' : `, again in ${recheckAfterMs / 1000} s`;
    return `${second}: ${status.phase} ${status.conditions[0]?.reason ?? ''}${wait}`;
  });
}
