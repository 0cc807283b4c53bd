import { readAsGo } from './plain-scalar.js';

/** The data of a text in the simple form. Null stands for a text without content. */
export interface SimpleDocument {
  readonly value: unknown;
}

interface Line {
  readonly indent: number;
  readonly text: string;
}

/** A constant, because an Error with a stack of its own would cost more than the reading. */
const NOT_SIMPLE = new Error('the text is not in the simple form');

const KEY = /^([A-Za-z_][A-Za-z0-9_./-]*):(?: +(.*))?$/;
const PLAIN_START = /^[A-Za-z0-9_/-]/;
const PLAIN_END = /: | #|:$/;
const INTEGER = /^(0|-?[1-9]\d{0,14})$/;
const FLOW_PLAIN = /[A-Za-z0-9_/][A-Za-z0-9_./@+-]*/y;

/**
 * Reads the part of YAML that nearly all manifests are written in: block maps and lists, one-line flow collections,
 * one-line scalars without escapes. It is some ten times faster than the full parser. Whatever is not plainly in that
 * part, mistakes above all, gives undefined and is the full parser's business; where this gives a value, it is the one
 * that the full parser gives.
 */
export function readSimpleYaml(text: string): SimpleDocument | undefined {
  // Blanks other than spaces, which trimming takes away and YAML keeps.
  if (/[^\S \n]|[\\\u0085]/.test(text)) return undefined;
  try {
    const lines = contentLines(text);
    return { value: lines.length === 0 ? null : new BlockReader(lines).readAll() };
  } catch (error) {
    if (error === NOT_SIMPLE || error instanceof RangeError) return undefined;
    throw error;
  }
}

function contentLines(text: string): Line[] {
  const lines: Line[] = [];
  for (const raw of text.split('\n')) {
    const trimmed = raw.trimEnd();
    const content = trimmed.trimStart();
    if (content !== '' && !content.startsWith('#')) {
      lines.push({ indent: trimmed.length - content.length, text: content });
    }
  }
  return lines;
}

class BlockReader {
  private readonly lines: Line[];
  private next = 0;

  constructor(lines: Line[]) {
    this.lines = lines;
  }

  readAll(): unknown {
    const value = this.readBlock(this.peek()?.indent ?? 0);
    if (this.next < this.lines.length) throw NOT_SIMPLE;
    return value;
  }

  private peek(): Line | undefined {
    return this.lines[this.next];
  }

  private readBlock(indent: number): unknown {
    return isItem(this.peek()) ? this.readList(indent) : this.readMap(indent);
  }

  private readMap(indent: number): object {
    const result: Record<string, unknown> = {};
    for (let line = this.peek(); line?.indent === indent && !isItem(line); line = this.peek()) {
      const match = KEY.exec(line.text);
      const key = match?.[1];
      if (key === undefined || Object.hasOwn(result, key) || key === '__proto__' || typeof readAsGo(key) !== 'string') {
        throw NOT_SIMPLE;
      }
      this.next++;
      result[key] = this.readValue(match?.[2] ?? '', indent);
    }
    this.expectEnd(indent);
    return result;
  }

  private readValue(text: string, indent: number): unknown {
    if (text !== '') return this.readInline(text, indent);
    const line = this.peek();
    if (line !== undefined && line.indent > indent) return this.readBlock(line.indent);
    // A list may stand at the indentation of the key that it belongs to.
    return line?.indent === indent && isItem(line) ? this.readList(indent) : null;
  }

  private readList(indent: number): unknown[] {
    const items: unknown[] = [];
    for (let line = this.peek(); line?.indent === indent && isItem(line); line = this.peek()) {
      const content = line.text.slice(1).trimStart();
      if (isItem({ indent, text: content }) || content === '') throw NOT_SIMPLE;
      if (KEY.test(content)) {
        const inner = indent + line.text.length - content.length;
        this.lines[this.next] = { indent: inner, text: content };
        items.push(this.readMap(inner));
      } else {
        this.next++;
        items.push(this.readInline(content, indent));
      }
    }
    this.expectEnd(indent);
    return items;
  }

  /** A line that is indented deeper would go on with a scalar, or is a mistake. */
  private readInline(text: string, indent: number): unknown {
    this.expectEnd(indent);
    return inlineValue(text);
  }

  private expectEnd(indent: number): void {
    if ((this.peek()?.indent ?? 0) > indent) throw NOT_SIMPLE;
  }
}

function isItem(line: Line | undefined): boolean {
  return line !== undefined && (line.text === '-' || line.text.startsWith('- '));
}

function inlineValue(text: string): unknown {
  const first = text.charAt(0);
  if (first === '"' || first === "'") return quoted(text);
  if (first === '[' || first === '{') return new FlowReader(text).readAll();
  if (!PLAIN_START.test(text) || PLAIN_END.test(text)) throw NOT_SIMPLE;
  return plainValue(text);
}

function quoted(text: string): string {
  const content = text.slice(1, -1);
  if (text.length < 2 || !text.endsWith(text.charAt(0)) || content.includes(text.charAt(0))) throw NOT_SIMPLE;
  return content;
}

/** Only what every reader takes for the same; the rest is left to whoever can say what is wrong with it. */
function plainValue(text: string): unknown {
  if (INTEGER.test(text)) return Number(text);
  if (text === 'true' || text === 'false') return text === 'true';
  if (text === 'null') return null;
  if (text.startsWith('-') || typeof readAsGo(text) !== 'string') throw NOT_SIMPLE;
  return text;
}

class FlowReader {
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text;
  }

  readAll(): unknown {
    const value = this.readValue();
    if (this.at < this.text.length) throw NOT_SIMPLE;
    return value;
  }

  private readValue(): unknown {
    const first = this.text.charAt(this.at);
    if (first === '[') return this.readList();
    if (first === '{') return this.readMap();
    if (first === '"' || first === "'") return this.readQuoted(first);
    return plainValue(this.readPlain());
  }

  private readList(): unknown[] {
    const items: unknown[] = [];
    this.at++;
    if (this.skipTo() === ']') return this.close(items);
    for (;;) {
      items.push(this.readValue());
      if (this.skipTo() === ']') return this.close(items);
      this.take(',');
      this.skipTo();
    }
  }

  private readMap(): object {
    const result: Record<string, unknown> = {};
    this.at++;
    if (this.skipTo() === '}') return this.close(result);
    for (;;) {
      const key = this.readPlain();
      if (Object.hasOwn(result, key) || key === '__proto__' || typeof plainValue(key) !== 'string') throw NOT_SIMPLE;
      this.take(':');
      this.take(' ');
      this.skipTo();
      result[key] = this.readValue();
      if (this.skipTo() === '}') return this.close(result);
      this.take(',');
      this.skipTo();
    }
  }

  private close<T>(value: T): T {
    this.at++;
    return value;
  }

  private readQuoted(quote: string): string {
    const end = this.text.indexOf(quote, this.at + 1);
    // A doubled quote is an escaped one.
    if (end < 0 || this.text.charAt(end + 1) === quote) throw NOT_SIMPLE;
    const content = this.text.slice(this.at + 1, end);
    this.at = end + 1;
    return content;
  }

  private readPlain(): string {
    FLOW_PLAIN.lastIndex = this.at;
    const match = FLOW_PLAIN.exec(this.text);
    if (match === null) throw NOT_SIMPLE;
    this.at += match[0].length;
    return match[0];
  }

  private take(character: string): void {
    if (this.text.charAt(this.at) !== character) throw NOT_SIMPLE;
    this.at++;
  }

  private skipTo(): string {
    while (this.text.charAt(this.at) === ' ') this.at++;
    return this.text.charAt(this.at);
  }
}
