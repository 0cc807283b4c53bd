/** What finalizing came to in one pass. */
export type FinalizeResult =
  /** Nothing of ours holds the object any more. */
  | { readonly kind: 'released' }
  /** A step is under way or failed; go on after this time. Steps already done stay done. */
  | { readonly kind: 'again'; readonly afterMs: number };

/** Holds objects of one kind until what belongs to them is dealt with. */
export interface ObjectFinalizer<T> {
  /**
   * Called for a live object before its status is computed. Resolves with the object as it is after the call; never
   * called for one that is being deleted.
   */
  ensure(object: T): Promise<T>;
  /** Called for an object that is being deleted, its metrics already gone. Has to be repeatable. */
  finalize(object: T): Promise<FinalizeResult>;
}
