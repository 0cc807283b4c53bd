import { isDeepStrictEqual } from 'node:util';
import type { Condition, StoredAgent } from '../kube/objects.js';

const MAX_MESSAGE_LENGTH = 1024;

/**
 * The status of an agent that cannot be let go, or undefined when it says so already: everything as it was, Ready False
 * and Stalled True with what is in the way.
 */
export function blockedStatus(agent: StoredAgent, message: string, now: number): object | undefined {
  const former = agent.status?.conditions ?? [];
  const shared = { reason: 'DeleteBlocked', message: message.slice(0, MAX_MESSAGE_LENGTH) };
  const wanted = [
    { type: 'Ready', status: 'False', ...shared },
    { type: 'Stalled', status: 'True', ...shared },
  ] as const;
  const conditions: Condition[] = wanted.map((condition) => {
    const before = former.find(({ type }) => type === condition.type);
    const isSame = before?.status === condition.status;
    return {
      ...condition,
      observedGeneration: agent.metadata.generation ?? 0,
      lastTransitionTime: isSame ? before.lastTransitionTime : new Date(now).toISOString().replace(/\.\d+Z$/, 'Z'),
    };
  });
  const isSaid = conditions.every((condition) => former.some((before) => isDeepStrictEqual(before, condition)));
  if (isSaid) return undefined;
  const others = former.filter(({ type }) => !['Ready', 'Stalled', 'Reconciling'].includes(type));
  return { ...agent.status, conditions: [...others, ...conditions] };
}
