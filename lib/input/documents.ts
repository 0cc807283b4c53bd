import { Composer, isScalar, Parser, type Document, type YAMLError } from 'yaml';

import { FORMER_GROUP, GROUP } from '../api/identity.js';
import { isObject } from '../api/canonical-json.js';
import type { PathSegment, Problem, SourcePosition } from '../validation/problem.js';
import { decodeText } from './decode.js';
import { LineIndex } from './line-index.js';
import { locate, offsetOf, type Located } from './locate.js';
import { AliasBomb, NodeReader, type Finding } from './node-value.js';
import { readSimpleYaml } from './simple-yaml.js';
import { TOO_DEEP, yamlErrorProblem } from './yaml-errors.js';

/** One object of a file: a document of its own, or an item of a `List`. */
export interface InputDocument {
  /** Plain JSON data. Aliases share their value, so nothing may be changed in place. */
  readonly value: unknown;
  readonly file: string;
  /** What the text of this object leaves in doubt: duplicate keys, values that readers take for different things. */
  readonly problems: readonly Problem[];
  /** Where `path` is written; where it does not exist, the nearest parent that does. */
  readonly position: (path: readonly PathSegment[], target?: 'key' | 'value') => SourcePosition;
  /** The plain scalar at `path` exactly as written, without quotes; undefined for anything else. */
  readonly sourceText: (path: readonly PathSegment[]) => string | undefined;
}

/** What a file holds, and why some of it could not be read at all. */
export interface ReadResult {
  readonly documents: readonly InputDocument[];
  readonly problems: readonly Problem[];
}

/** Per document. */
const MAX_SYNTAX_PROBLEMS = 3;

const PARSE_OPTIONS = { version: '1.2', schema: 'core', uniqueKeys: false, merge: false, logLevel: 'error' } as const;

/**
 * Reads the YAML or JSON documents of one file. Never throws: what cannot be read is a problem. The text of documents
 * that are not of this project is only checked for syntax.
 */
export function readDocuments(bytes: Uint8Array, file: string): ReadResult {
  const decoded = decodeText(bytes, file);
  if ('problem' in decoded) return { documents: [], problems: [decoded.problem] };
  return new FileReader(decoded.text, file).read();
}

/** A stretch of the text that holds one document. */
interface Slice {
  readonly start: number;
  readonly end: number;
}

interface ParsedSlice extends Slice {
  readonly document: Document;
}

/** Finds places in the text of a file. Knows no documents, so that whoever keeps a position keeps the text alone. */
class Places {
  readonly text: string;
  private readonly file: string;
  private readonly lines: LineIndex;
  /** Parsed documents are large: only the one that was asked about last is kept, the others are parsed again. */
  private latest: ParsedSlice | undefined;

  constructor(text: string, file: string) {
    this.text = text;
    this.file = file;
    this.lines = new LineIndex(text);
  }

  at(offset: number): SourcePosition {
    return { file: this.file, ...this.lines.position(offset) };
  }

  parsed(slice: Slice): Document {
    if (this.latest?.start !== slice.start) {
      const [document] = composeAll(this.text.slice(slice.start, slice.end));
      if (document === undefined) throw new Error(`no document starts at offset ${slice.start}`);
      this.latest = { start: slice.start, end: slice.end, document };
    }
    return this.latest.document;
  }
}

function accessTo(
  places: Places,
  slice: Slice,
  root: readonly PathSegment[],
): Pick<InputDocument, 'position' | 'sourceText'> {
  const find = (path: readonly PathSegment[]): Located => locate(places.parsed(slice), [...root, ...path]);
  return {
    position: (path, target = 'value') => places.at(slice.start + offsetOf(find(path), target)),
    sourceText: (path) => {
      const { value, isExact } = find(path);
      return isExact && isScalar(value) && value.type === 'PLAIN' ? value.source : undefined;
    },
  };
}

class FileReader {
  private readonly documents: InputDocument[] = [];
  private readonly problems: Problem[] = [];
  private readonly places: Places;
  private readonly file: string;

  constructor(text: string, file: string) {
    this.places = new Places(text, file);
    this.file = file;
  }

  read(): ReadResult {
    for (const slice of slicesOf(this.places.text)) {
      const simple = readSimpleYaml(this.places.text.slice(slice.start, slice.end));
      if (simple === undefined) this.readFully(slice);
      else if (simple.value !== null) this.addObjects(simple.value, [], { ...slice, shift: 0 });
    }
    return { documents: this.documents, problems: this.problems };
  }

  private readFully({ start, end }: Slice): void {
    try {
      for (const document of composeAll(this.places.text.slice(start, end))) this.readDocument(document, start);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.problem(TOO_DEEP, start);
    }
  }

  private readDocument(document: ParsedDocument, shift: number): void {
    const [start, , end] = document.range;
    if (document.directives.yaml.explicit === true && document.directives.yaml.version !== '1.2') {
      const version = document.directives.yaml.version;
      const message = `YAML ${version} reads values differently`;
      this.problem({ rule: 'YamlVersion', path: [], message, hint: 'remove the %YAML line' }, shift + start);
      return;
    }
    const errors: readonly YAMLError[] = [...document.errors, ...document.warnings];
    if (errors.length > 0) {
      this.syntaxProblems(errors, shift);
      return;
    }
    const { contents } = document;
    if (contents === null || (isScalar(contents) && contents.value === null)) return;
    const reader = new NodeReader();
    try {
      const value = reader.read(contents);
      this.addObjects(value, reader.findings, { start: shift + start, end: shift + end, shift });
    } catch (error) {
      if (!(error instanceof AliasBomb)) throw error;
      this.problems.push(this.findingProblem(error.finding, 0, shift));
    }
  }

  private addObjects(value: unknown, findings: readonly Finding[], slice: Slice & { readonly shift: number }): void {
    for (const object of unrolled(value, [])) {
      const problems = (isOurs(object.value) ? findings : [])
        .filter(({ path }) => startsWith(path, object.path))
        .map((finding) => this.findingProblem(finding, object.path.length, slice.shift));
      this.documents.push({
        ...accessTo(this.places, slice, object.path),
        value: object.value,
        file: this.file,
        problems,
      });
    }
  }

  /** `shift` is where the text begins that the offsets of a finding count from. */
  private findingProblem(
    { path, offset, otherOffset, ...finding }: Finding,
    rootLength: number,
    shift: number,
  ): Problem {
    const other = otherOffset === undefined ? '' : `, first in line ${this.places.at(shift + otherOffset).line}`;
    const message = finding.message + other;
    return {
      severity: 'error',
      ...finding,
      path: path.slice(rootLength),
      message,
      position: this.places.at(shift + offset),
    };
  }

  /** One mistake makes the parser stumble many times: what follows the first few lines is noise. */
  private syntaxProblems(errors: readonly YAMLError[], shift: number): void {
    const lines = new Set<number>();
    for (const error of errors) {
      const { line } = this.places.at(shift + error.pos[0]);
      if (lines.has(line) || lines.size >= MAX_SYNTAX_PROBLEMS) continue;
      lines.add(line);
      this.problem(yamlErrorProblem(error), shift + error.pos[0]);
    }
  }

  private problem(problem: Omit<Problem, 'severity' | 'position'>, offset: number): void {
    this.problems.push({ severity: 'error', ...problem, position: this.places.at(offset) });
  }
}

/**
 * The documents of a text as far as `---` lines alone part them: no YAML text can hold such a line otherwise. A text
 * with directives or other marks stays whole.
 */
function* slicesOf(text: string): Generator<Slice> {
  let start = 0;
  if (!/^(%|\.\.\.|---[^\S\n]*[^\s])/m.test(text)) {
    for (const mark of text.matchAll(/^---[^\S\n]*(\n|$)/gm)) {
      if (mark.index > start) yield { start, end: mark.index };
      start = mark.index + mark[0].length;
    }
  }
  if (start < text.length) yield { start, end: text.length };
}

/** Documents one after the other, so that only one tree is in memory at a time. */
function composeAll(text: string): Generator<ParsedDocument> {
  return new Composer(PARSE_OPTIONS).compose(new Parser().parse(text));
}

type ParsedDocument = Document.Parsed;

interface Unrolled {
  readonly value: unknown;
  readonly path: readonly PathSegment[];
}

/** `List` and its kin stand for the objects that they hold. */
function* unrolled(value: unknown, path: readonly PathSegment[]): Generator<Unrolled> {
  if (!isObject(value) || typeof value['kind'] !== 'string' || !Array.isArray(value['items'])) {
    yield { value, path };
    return;
  }
  const { kind, apiVersion, items } = value as { kind: string; apiVersion: unknown; items: readonly unknown[] };
  if (!kind.endsWith('List')) {
    yield { value, path };
    return;
  }
  // Items of a typed list may leave out what the list says already.
  const inherited = kind === 'List' ? {} : { apiVersion, kind: kind.slice(0, -'List'.length) };
  for (const [index, item] of items.entries()) {
    yield* unrolled(isObject(item) ? { ...inherited, ...item } : item, [...path, 'items', index]);
  }
}

/** Whether the object is meant for this project, even when it is misspelt in part. */
function isOurs(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { apiVersion, kind } = value;
  const isOurGroup =
    typeof apiVersion === 'string' && (apiVersion.startsWith(`${GROUP}/`) || apiVersion.startsWith(`${FORMER_GROUP}/`));
  return isOurGroup || kind === 'HermesAgent' || kind === 'AgentRun';
}

function startsWith(path: readonly PathSegment[], root: readonly PathSegment[]): boolean {
  return root.every((segment, index) => path[index] === segment);
}
