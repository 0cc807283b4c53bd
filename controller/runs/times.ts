/** A stored time in milliseconds; undefined where there is none that can be read. */
export function instant(time: string | undefined): number | undefined {
  const milliseconds = Date.parse(time ?? '');
  return Number.isNaN(milliseconds) ? undefined : milliseconds;
}

/** Whole seconds between two times; 0 where the clocks of two nodes have them the wrong way round. */
export function wholeSeconds(from: number, to: number): number {
  return Math.max(0, Math.floor((to - from) / 1000));
}
