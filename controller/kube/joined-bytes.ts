/** In bytes. A page of a list is smaller by far; memory for more than that is not kept. */
const MOST_KEPT = 2 * 1024 * 1024;

let kept = Buffer.alloc(0);

/**
 * What came in chunks, in one piece, in memory that the next call uses again: a list of hundreds of pages would otherwise
 * leave as many buffers that wait to be collected. Whoever calls reads it before anything else can run.
 */
export function joinedBytes(chunks: readonly Buffer[]): Buffer {
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  if (length > MOST_KEPT) return Buffer.concat(chunks);
  // Twice as much as was needed, or it would be made anew for each answer that is a little longer.
  if (length > kept.length) kept = Buffer.allocUnsafeSlow(Math.min(2 * length, MOST_KEPT));
  let end = 0;
  for (const chunk of chunks) end += chunk.copy(kept, end);
  return kept.subarray(0, length);
}
