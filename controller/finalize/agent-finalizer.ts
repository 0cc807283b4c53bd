import type { StoredAgent } from '../kube/objects.js';

/** What finalizing came to in one pass. */
export type FinalizeResult =
  /** Nothing of ours holds the agent any more. */
  | { readonly kind: 'released' }
  /** A step is under way or failed; go on after this time. Steps already done stay done. */
  | { readonly kind: 'again'; readonly afterMs: number };

/** Holds an agent until what was rendered for it is gone. */
export interface AgentFinalizer {
  /**
   * Called for a live agent before its status is computed. Resolves with the agent as it is after the call; never called
   * for one that is being deleted.
   */
  ensure(agent: StoredAgent): Promise<StoredAgent>;
  /** Called for an agent that is being deleted, its metrics already gone. Has to be repeatable. */
  finalize(agent: StoredAgent): Promise<FinalizeResult>;
}

/** Holds nothing: an agent goes as soon as somebody deletes it. */
export const noFinalizer: AgentFinalizer = {
  ensure: (agent) => Promise.resolve(agent),
  finalize: () => Promise.resolve({ kind: 'released' }),
};
