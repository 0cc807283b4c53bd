/** In bytes. A page of a list is smaller by far; memory for more than that is not kept. */
const MOST_KEPT = 2 * 1024 * 1024;

let kept = Buffer.alloc(0);

/**
 * Reads what came in chunks, in one piece, and wiped after that: it may be a Secret. The memory is that of the call
 * before, or a list of hundreds of pages would leave as many buffers that wait to be collected.
 */
export function readJoined<T>(chunks: readonly Buffer[], read: (bytes: Buffer) => T): T {
  const bytes = join(chunks);
  try {
    return read(bytes);
  } finally {
    bytes.fill(0);
  }
}

function join(chunks: readonly Buffer[]): Buffer {
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  if (length > MOST_KEPT) return Buffer.concat(chunks);
  // Twice as much as was needed, or it would be made anew for each answer that is a little longer.
  if (length > kept.length) kept = Buffer.allocUnsafeSlow(Math.min(2 * length, MOST_KEPT));
  let end = 0;
  for (const chunk of chunks) end += chunk.copy(kept, end);
  return kept.subarray(0, length);
}
