import type { BackoffOptions } from '../timing/backoff.js';

/** Failures of one object: soon at first, and at most about once a minute after a while. */
export const RETRY: BackoffOptions = { baseMs: 500, maxMs: 60_000, jitter: 0.2 };
