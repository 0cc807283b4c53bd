/** What one pass over an object came to. */
export type Outcome =
  /** The object is gone, or on its way out and nothing is left to do. */
  | { readonly kind: 'gone' }
  /** Status was written, or was right already. */
  | { readonly kind: 'settled'; readonly wrote: boolean; readonly recheckAfterMs?: number }
  /** Look again soon; nothing failed. */
  | { readonly kind: 'again'; readonly afterMs: number }
  /** Worth another try: a conflict, a lost connection, a server in trouble. */
  | { readonly kind: 'failed'; readonly error: unknown };
