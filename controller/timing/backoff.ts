/** How long to wait after the n-th failure in a row. */
export interface BackoffOptions {
  /** Delay after the first failure. */
  readonly baseMs: number;
  /** Longest delay; jitter never takes it further. */
  readonly maxMs: number;
  /** Share of the delay that is added at random, so that many clients do not come back in step. */
  readonly jitter?: number;
  readonly random?: () => number;
}

/** Exponential delay after `failures` failures in a row, jitter included; 0 for none. */
export function backoffDelay(failures: number, options: BackoffOptions): number {
  if (failures <= 0) return 0;
  // 2^30 is past every sensible cap, and keeps the power finite however often it failed.
  const raw = options.baseMs * 2 ** Math.min(failures - 1, 30);
  const random = options.random ?? Math.random;
  return Math.min(options.maxMs, Math.round(raw * (1 + (options.jitter ?? 0) * random())));
}
