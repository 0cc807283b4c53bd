import { isObject } from '../../lib/api/canonical-json.js';
import { readDocuments } from '../../lib/input/documents.js';

/** A line that begins a document; inside of a document every line of a text is indented. */
const SEPARATOR = /^(?=---(?:[ \t]|\r?$))/m;

/** A file without some of its documents. */
export interface RemainingFile {
  /** Everything else of the file, to the byte; undefined when nothing is left but comments. */
  readonly text: string | undefined;
  readonly removed: number;
}

/** The comments that a file begins with: a licence, more often than a word about the first document. */
const HEAD = /^(?:---[ \t]*\r?\n)?((?:[ \t]*(?:#.*)?\r?\n)*)/;

/**
 * Takes out of a YAML file the documents that `isGone` says yes to, with the comments inside of them, those at the top of
 * the file excepted.
 */
export function withoutDocuments(text: string, isGone: (value: unknown) => boolean): RemainingFile {
  const parts = text.split(SEPARATOR);
  const documents = parts.map(documentsOf);
  // A List counts as its items, and goes only as a whole.
  const isKept = (_part: string, index: number): boolean => {
    const items = documents[index] ?? [];
    return items.length === 0 || !items.every(isGone);
  };
  const kept = parts.filter(isKept);
  const removed = documents.filter((_items, index) => !isKept('', index)).flat().length;
  if (removed === 0) return { text, removed };
  const isEmpty = kept.every((part) => documentsOf(part).length === 0);
  const [first = ''] = parts;
  const comments = HEAD.exec(first)?.[1] ?? '';
  const head = isKept(first, 0) || !comments.includes('#') ? '' : comments;
  // The first document may do without a separator, and does if it did.
  const joined = head + kept.join('');
  const hadNone = !text.startsWith('---');
  return { text: isEmpty ? undefined : hadNone ? joined.replace(/^---[ \t]*\r?\n/, '') : joined, removed };
}

function documentsOf(part: string): readonly unknown[] {
  return readDocuments(Buffer.from(part), '').documents.flatMap(({ value }) => (isObject(value) ? [value] : []));
}
