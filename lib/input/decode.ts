import { LineIndex } from './line-index.js';
import type { Problem, SourcePosition } from '../validation/problem.js';

/** The text of a file, or why it has none. Line ends are `\n`, a byte order mark at the start is gone. */
export type Decoded = { readonly text: string } | { readonly problem: Problem };

// Tab, line feed and carriage return are the only control characters that YAML knows.
const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/;

/** Reads `bytes` as UTF-8. Nothing is replaced silently: what is not UTF-8 text is a problem. */
export function decodeText(bytes: Uint8Array, file: string): Decoded {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    return failure('NotUtf8', 'the file is UTF-16', 'save the file as UTF-8', { file, line: 1, column: 1 });
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return failure('NotUtf8', 'the file is not UTF-8', 'save the file as UTF-8', invalidByte(bytes, file));
  }
  const normal = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  return controlCharacter(normal, file) ?? { text: normal };
}

function controlCharacter(text: string, file: string): Decoded | undefined {
  const control = CONTROL.exec(text);
  if (control !== null) {
    const code = control[0].charCodeAt(0);
    const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
    const hint = code === 0 ? 'save the file as UTF-8' : 'remove it, or write it as an escape inside double quotes';
    return failure('ControlCharacter', `the file contains the control character ${name}`, hint, {
      file,
      ...new LineIndex(text).position(control.index),
    });
  }
  const mark = /(^|\n)\ufeff/.exec(text);
  if (mark === null) return undefined;
  const position = { file, ...new LineIndex(text).position(mark.index + mark[0].length - 1) };
  return failure('ByteOrderMark', 'a byte order mark stands inside the file', 'remove the character', position);
}

function invalidByte(bytes: Uint8Array, file: string): SourcePosition {
  let [low, high] = [0, bytes.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (isValidStart(bytes.subarray(0, middle))) low = middle;
    else high = middle - 1;
  }
  const before = new TextDecoder().decode(bytes.subarray(0, low), { stream: true });
  return { file, ...new LineIndex(before).position(before.length) };
}

/** Whether `bytes` is UTF-8 so far; a character that is cut in two at the end is fine. */
function isValidStart(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

function failure(rule: string, message: string, hint: string, position: SourcePosition): Decoded {
  return { problem: { severity: 'error', rule, path: [], message, hint, position } };
}
