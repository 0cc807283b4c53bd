const MAX_LENGTH = 1024;

/** A message as conditions hold it: one line, no control or invisible characters, at most 1,024 characters. */
export function clean(message: string): string {
  const line = message
    // A lone surrogate has no bytes: it would be stored as something else, and written again with every pass.
    .replace(/\p{Surrogate}/gu, '\ufffd')
    // Format characters turn the direction of what follows, or hide in it.
    .replace(/\p{Cf}+/gu, '')
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
    .replace(/ {2,}/g, ' ')
    .trim();
  if (line.length <= MAX_LENGTH) return line;
  // The cut must not leave half of a pair.
  return `${line.slice(0, MAX_LENGTH - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** A list in one order whatever order its facts came in, without repeats. */
export function sortedList(parts: readonly string[]): string {
  return [...new Set(parts)].sort().join(', ');
}
