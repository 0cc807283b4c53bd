/**
 * Words that some YAML reader takes for something else than a string. Readers of YAML 1.1 know more of them than those
 * of 1.2, so everything that either knows is quoted.
 */
const RESERVED = new Set(['y', 'n', 'yes', 'no', 'on', 'off', 'true', 'false', 'null']);

/**
 * What may stand without quotes: words that begin with a letter or a slash, so that no reader sees a number, a date or
 * an indicator, and single characters between them that mean nothing inside of a word.
 */
const PLAIN = /^[A-Za-z/](?:[A-Za-z0-9_./-]|:(?=[A-Za-z0-9/])|[ ](?=[A-Za-z0-9(])|[,()](?=[A-Za-z0-9. )]|$))*$/;

/** Longest text without quotes; a reader's limit for keys is far above it. */
const MAX_PLAIN = 200;

/** Characters that YAML does not allow as they are, or that readers take for a line break. */

const UNPRINTABLE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** Half of a surrogate pair: no text in UTF-8. */
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** What a line of a literal block does not give back exactly, in every reader: controls, and blanks at its end. */

const INEXACT = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]| $/;

/** `text` on one line: without quotes where every reader agrees, else in double quotes. */
export function scalarText(text: string): string {
  if (text.length <= MAX_PLAIN && PLAIN.test(text) && !RESERVED.has(text.toLowerCase())) return text;
  return JSON.stringify(text.replace(LONE_SURROGATE, '\ufffd')).replace(
    UNPRINTABLE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** `text` as a literal block, if it has lines and every reader gives them back as they are. */
export function blockScalar(text: string, indent: string): string | undefined {
  // The first line sets the indentation of the block, so it must not be empty or begin with a blank itself.
  if (!text.includes('\n') || text.startsWith('\n') || text.startsWith(' ')) return undefined;
  const lines = text.split('\n');
  const ends = lines.at(-1) === '';
  const body = ends ? lines.slice(0, -1) : lines;
  // Readers differ in how many line breaks at the end belong to the text.
  if (body.at(-1) === '' || body.some((line) => INEXACT.test(line))) return undefined;
  return `${ends ? '|' : '|-'}\n${body.map((line) => (line === '' ? '' : indent + line)).join('\n')}`;
}
