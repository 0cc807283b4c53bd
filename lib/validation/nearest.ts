/** The candidate that `word` was most likely meant to be, or undefined when none is close. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = isPrefix(word, candidate) ? 1 : editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Whether one is the beginning of the other: `environment` is what people write for `env`. */
function isPrefix(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short.length >= 3 && long.toLowerCase().startsWith(short.toLowerCase());
}

/** Insertions, deletions and replacements of one character, and swaps of two neighbours, that turn `a` into `b`. */
function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        cell(previous, j) + 1,
        cell(row, j - 1) + 1,
        cell(previous, j - 1) + (isSame ? 0 : 1),
        swapped ? cell(beforePrevious, j - 2) + 1 : Infinity,
      );
    }
    [beforePrevious, previous] = [previous, row];
  }
  return cell(previous, b.length);
}

function cell(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
