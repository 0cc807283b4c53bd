const CONTEXT = 3;

/** Longest pair of differing middles that is compared line by line. */
const MAX_CELLS = 4_000_000;

/** A unified diff of two texts, without the file names; empty when they are equal. */
export function unifiedDiff(before: string, after: string): string {
  if (before === after) return '';
  return hunks(editScript(lines(before), lines(after))).join('\n');
}

type Edit = readonly [' ' | '-' | '+', string];

function lines(text: string): readonly string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

function editScript(a: readonly string[], b: readonly string[]): readonly Edit[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const keep = (text: string): Edit => [' ', text];
  return [
    ...a.slice(0, start).map(keep),
    ...middle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map(keep),
  ];
}

/** The shortest edit by the table of longest common subsequences. */
function middle(a: readonly string[], b: readonly string[]): readonly Edit[] {
  const removed = a.map((text): Edit => ['-', text]);
  const added = b.map((text): Edit => ['+', text]);
  if (a.length * b.length > MAX_CELLS) return [...removed, ...added];
  const width = b.length + 1;
  const common = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number): number => common[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      common[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const edits: Edit[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      edits.push([' ', a[i] ?? '']);
      i += 1;
      j += 1;
    } else if (at(i + 1, j) >= at(i, j + 1)) edits.push(removed[i++] ?? ['-', '']);
    else edits.push(added[j++] ?? ['+', '']);
  }
  return [...edits, ...removed.slice(i), ...added.slice(j)];
}

function hunks(edits: readonly Edit[]): readonly string[] {
  const shown = edits.map((_, index) =>
    edits.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(([mark]) => mark !== ' '),
  );
  const text: string[] = [];
  let before = 1;
  let after = 1;
  edits.forEach(([mark, line], index) => {
    if (shown[index] === true) {
      if (index === 0 || shown[index - 1] !== true) text.push(`@@ line ${before} -> ${after} @@`);
      text.push(mark + line);
    }
    if (mark !== '+') before += 1;
    if (mark !== '-') after += 1;
  });
  return text;
}
