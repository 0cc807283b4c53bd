/** Node fires a longer timer at once: its delay is a signed 32-bit number. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** A pending call. */
export interface LongTimeout {
  cancel(): void;
}

/** `setTimeout` for delays of any length. Negative and non-finite delays count as 0. */
export function setLongTimeout(callback: () => void, delayMs: number): LongTimeout {
  let remaining = Number.isFinite(delayMs) ? Math.max(0, delayMs) : 0;
  let timer: NodeJS.Timeout;
  const arm = (): void => {
    const slice = Math.min(remaining, MAX_TIMER_MS);
    timer = setTimeout(() => {
      remaining -= slice;
      if (remaining > 0) arm();
      else callback();
    }, slice);
  };
  arm();
  return {
    cancel: (): void => {
      clearTimeout(timer);
    },
  };
}
