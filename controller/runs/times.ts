/** What RFC 3339, and so the API server, can say. */
const EARLIEST = Date.parse('0001-01-01T00:00:00Z');
const LATEST = Date.parse('9999-12-31T23:59:59Z');

/** A stored time in milliseconds; undefined where there is none that can be read, and stored again. */
export function instant(time: string | undefined): number | undefined {
  const milliseconds = Date.parse(time ?? '');
  return milliseconds >= EARLIEST && milliseconds <= LATEST ? milliseconds : undefined;
}

/** Whole seconds between two times; 0 where the clocks of two nodes have them the wrong way round. */
export function wholeSeconds(from: number, to: number): number {
  return Math.max(0, Math.floor((to - from) / 1000));
}
