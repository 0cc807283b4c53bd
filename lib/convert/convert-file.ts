import { CST, Parser } from 'yaml';
import { isObject } from '../api/canonical-json.js';
import { AGENT_KIND, API_VERSION, FORMER_GROUP } from '../api/identity.js';
import { toYamlStream } from '../emit/yaml.js';
import type { FleetFile } from '../fleet/read-fleet.js';
import { decodeText } from '../input/decode.js';
import { type InputDocument, readDocuments } from '../input/documents.js';
import type { Problem } from '../validation/problem.js';
import { validateDocument, type ValidationOptions } from '../validation/validate-agent.js';
import { formerLabelProblems } from './former-labels.js';

/** The apiVersion of the agents that are converted. */
export const FORMER_API_VERSION = `${FORMER_GROUP}/v1alpha1`;

/** What became of a file. */
export interface ConvertedFile {
  /** The converted agents and nothing else; undefined when the file has none. */
  readonly text?: string;
  readonly agents: number;
  /** Documents that are no agents of the former group, a line each kind. */
  readonly skipped: readonly string[];
  readonly problems: readonly Problem[];
  readonly notes: readonly string[];
}

/** Rules about what a platform allows: they are asked again when the converted file is rendered. */
const PLATFORM_RULES: ReadonlySet<string> = new Set(['ClusterRoleNotAllowed', 'NamespaceNotAllowed']);

/**
 * Rewrites the agents of the former group as ours. All that changes in the text is the apiVersion, so that comments and
 * layout stay; what would mean something else, or nothing, is a problem at its place.
 */
export function convertFile(file: FleetFile, options: ValidationOptions): ConvertedFile {
  const { documents, problems } = readDocuments(file.bytes, file.name);
  const former = documents.filter(isFormer);
  const judged = former.flatMap((document) => judge(document, options));
  const skipped = countEach(documents.filter((document) => !isFormer(document)).map(describe));
  const all = [...problems, ...judged];
  const result = { agents: former.length, skipped, problems: all, notes: [] };
  if (former.length === 0 || all.some(({ severity }) => severity === 'error')) return result;
  return { ...result, ...convertText(file) };
}

function isFormer({ value }: InputDocument): boolean {
  if (!isObject(value) || value['kind'] !== AGENT_KIND) return false;
  // Another version of that group is one, too: it is a mistake to be told, not a document to be skipped.
  return typeof value['apiVersion'] === 'string' && value['apiVersion'].split('/')[0] === FORMER_GROUP;
}

function judge(document: InputDocument, options: ValidationOptions): readonly Problem[] {
  // That the group is the former one is why it is converted; a namespace may still be given when it is rendered.
  const { problems } = validateDocument(document, { defaultNamespace: 'default', ...options });
  return [
    ...problems
      .filter(({ rule }) => rule !== 'FormerGroup')
      .map((problem): Problem => (PLATFORM_RULES.has(problem.rule) ? { ...problem, severity: 'warning' } : problem)),
    ...formerLabelProblems(document),
  ];
}

function describe({ value }: InputDocument): string {
  if (!isObject(value) || typeof value['kind'] !== 'string') return 'a document without kind';
  const { kind, apiVersion } = value;
  return kind === AGENT_KIND && apiVersion === API_VERSION ? `${kind} of ${API_VERSION} already` : kind;
}

function countEach(names: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => (count === 1 ? name : `${count} × ${name}`));
}

function convertText(file: FleetFile): { text: string; notes: readonly string[] } {
  const decoded = decodeText(file.bytes, file.name);
  if ('problem' in decoded) throw new Error(`${file.name} was read before and cannot be read now`);
  const notes: string[] = [];
  let text = '';
  for (const chunk of documentTexts(decoded.text)) {
    const converted = convertDocument(chunk, file.name);
    if (converted === undefined) continue;
    if (converted.isRewritten) notes.push(`${file.name}: agents of a list were written anew, without their comments`);
    text += separated(text, converted.text);
  }
  const hasCrLf = Buffer.from(file.bytes).includes('\r\n');
  return { text: hasCrLf ? text.replaceAll('\n', '\r\n') : text, notes };
}

/** The text of each document with the comments before it; put together again they are the whole text. */
function* documentTexts(text: string): Generator<string> {
  let chunk = '';
  for (const token of new Parser().parse(text)) {
    chunk += CST.stringify(token);
    if (token.type !== 'document') continue;
    yield chunk;
    chunk = '';
  }
}

function convertDocument(text: string, name: string): { text: string; isRewritten: boolean } | undefined {
  const { documents } = readDocuments(Buffer.from(text), name);
  const former = documents.filter(isFormer);
  if (former.length === 0) return undefined;
  const edited = former.length === documents.length ? editInPlace(text, former) : undefined;
  if (edited !== undefined) return { text: edited, isRewritten: false };
  const agents = former.map(({ value }) => ({ ...(value as object), apiVersion: API_VERSION }));
  return { text: asText(agents, name), isRewritten: true };
}

/** Undefined when an agent has its apiVersion from somewhere else: from its list, or by an alias. */
function editInPlace(text: string, documents: readonly InputDocument[]): string | undefined {
  const starts = lineStarts(text);
  const offsets = documents.map((document) => {
    const { line, column } = document.position(['apiVersion']);
    const offset = (starts[line - 1] ?? 0) + column - 1;
    const quote = /["']/.test(text[offset] ?? '') ? 1 : 0;
    return text.startsWith(FORMER_API_VERSION, offset + quote) ? offset + quote : -1;
  });
  if (offsets.includes(-1) || new Set(offsets).size < offsets.length) return undefined;
  return [...offsets]
    .sort((a, b) => b - a)
    .reduce(
      (edited, offset) => edited.slice(0, offset) + API_VERSION + edited.slice(offset + FORMER_API_VERSION.length),
      text,
    );
}

function lineStarts(text: string): readonly number[] {
  return [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
}

function asText(agents: readonly unknown[], name: string): string {
  if (!name.toLowerCase().endsWith('.json')) return toYamlStream(agents);
  return `${JSON.stringify({ apiVersion: 'v1', kind: 'List', items: agents }, null, 2)}\n`;
}

/** `next` as it follows `text`: with a mark between two documents, and none before the first. */
function separated(text: string, next: string): string {
  const body = next.endsWith('\n') ? next : `${next}\n`;
  const hasMark = /^---\s/m.test(body);
  if (text === '') return body.replace(/^---[^\S\n]*\n/, '');
  return hasMark ? body : `---\n${body}`;
}
