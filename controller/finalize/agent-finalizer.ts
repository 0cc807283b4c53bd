import type { StoredAgent } from '../kube/objects.js';
import type { ObjectFinalizer } from './object-finalizer.js';

/** Holds an agent until what was rendered for it is gone. */
export type AgentFinalizer = ObjectFinalizer<StoredAgent>;

/** Holds nothing: an agent goes as soon as somebody deletes it. */
export const noFinalizer: AgentFinalizer = {
  ensure: (agent) => Promise.resolve(agent),
  finalize: () => Promise.resolve({ kind: 'released' }),
};
