import { setTimeout as pause } from 'node:timers/promises';

/** For how long tests look at most: less than a test may take, so that it is the wait which fails, and says for what. */
export const PATIENCE_MS = 100_000;

/** How long and how often to look. */
export interface WaitOptions {
  /** @default PATIENCE_MS */
  readonly timeoutMs?: number;
  /** @default 100 */
  readonly everyMs?: number;
  /** Printed when time runs out, beside what was seen last. */
  readonly what?: string;
}

/**
 * Looks until `read` gives a value that is neither undefined nor false, and resolves with it. Errors of `read` count as
 * "not yet"; the last one is the cause when time runs out.
 */
export async function waitFor<T>(read: () => Promise<T | undefined | false>, options: WaitOptions = {}): Promise<T> {
  const { timeoutMs = PATIENCE_MS, everyMs = 100, what = 'a condition' } = options;
  const deadline = Date.now() + timeoutMs;
  let last: unknown;
  for (;;) {
    try {
      const value = await read();
      if (value !== undefined && value !== false) return value;
      last = undefined;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline) throw new Error(`waited ${timeoutMs} ms for ${what}`, { cause: last });
    await pause(everyMs);
  }
}

/** Like {@link waitFor}, until `assert` stops throwing; then the last assertion error is the one that is thrown. */
export async function eventually(assert: () => Promise<void>, timeoutMs = PATIENCE_MS): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    try {
      await assert();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    await pause(100);
  }
}

/** Resolves with what `read` gives, once that has stayed the same for so long. Plain data only. */
export async function untilStill<T>(read: () => Promise<T>, stillMs = 3000): Promise<T> {
  let former = JSON.stringify(await read());
  const { value } = await waitFor(
    async () => {
      await pause(stillMs);
      const now = await read();
      const text = JSON.stringify(now);
      const isStill = text === former;
      former = text;
      // An object, as a value may be false itself.
      return isStill && { value: now };
    },
    { what: `no change for ${stillMs} ms` },
  );
  return value;
}
