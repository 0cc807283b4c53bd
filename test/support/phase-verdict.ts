import { computeAgentStatus } from '../../controller/status/agent-status.js';
import type { ObservedAgent } from '../../controller/status/observed.js';
import { deepFreeze } from './deep-freeze.js';
import { NOW } from './observed-agent.js';

/** Phase, reason of Ready, whether Reconciling or Stalled is there, and the time to look again in seconds. */
export function verdict(observed: ObservedAgent): string {
  const { status, recheckAfterMs } = computeAgentStatus(deepFreeze(observed), NOW);
  const reason = status.conditions.find(({ type }) => type === 'Ready')?.reason;
  const kstatus = status.conditions
    .filter(({ type }) => type === 'Reconciling' || type === 'Stalled')
    .map(({ type, reason: why }) => (why === reason ? type : `${type}:${why}`));
  const recheck = recheckAfterMs === undefined ? [] : [`${recheckAfterMs / 1000}s`];
  return [status.phase, reason, ...kstatus, ...recheck].join(' ');
}
