import { isObject } from '../api/canonical-json.js';
import { AGENT_KIND, API_VERSION, GROUP, RUN_KIND } from '../api/identity.js';
import type { SourcedAgent } from '../emit/rendered-agent.js';
import type { SourcedRun } from '../emit/rendered-run.js';
import { type InputDocument, readDocuments } from '../input/documents.js';
import type { Problem } from '../validation/problem.js';
import { agentKey } from '../runs/neighbours.js';
import { validateDocument, type ValidationOptions } from '../validation/validate-agent.js';
import { validateRunDocument } from '../validation/validate-run.js';

/** A file that may hold agents and runs. */
export interface FleetFile {
  /** What the file is called in messages and in the header of what it renders to. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The agents and runs of some files, and all that is wrong with them. */
export interface ReadFleet {
  readonly agents: readonly SourcedAgent[];
  /** Valid by themselves; whether their agents are there shows when they are rendered. */
  readonly runs: readonly SourcedRun[];
  /** `<namespace>/<name>` of agents that are not valid. */
  readonly broken: readonly string[];
  readonly problems: readonly Problem[];
  /** What was left out on purpose, a line each. */
  readonly notes: readonly string[];
}

/** Reads and validates every agent and run of `files`; problems carry their positions. Takes files one by one, to let go of each. */
export function readFleet(files: Iterable<FleetFile>, options: ValidationOptions): ReadFleet {
  const read: ReadFleet[] = [];
  for (const file of files) read.push(readFleetFile(file, options));
  return {
    agents: read.flatMap(({ agents }) => agents),
    runs: read.flatMap(({ runs }) => runs),
    broken: read.flatMap(({ broken }) => broken),
    problems: onceEach(read.flatMap(({ problems }) => problems)),
    notes: read.flatMap(({ notes }) => notes),
  };
}

/** {@link readFleet} of one file; what is said once for a whole fleet is said again for each. */
export function readFleetFile({ name, bytes }: FleetFile, options: ValidationOptions): ReadFleet {
  const agents: SourcedAgent[] = [];
  const runs: SourcedRun[] = [];
  const broken: string[] = [];
  const read = readDocuments(bytes, name);
  const problems = [...read.problems];
  const skipped = new Map<string, number>();
  for (const document of read.documents) {
    const verdict = judge(document);
    if (verdict.skip !== undefined) {
      skipped.set(verdict.skip, (skipped.get(verdict.skip) ?? 0) + 1);
      continue;
    }
    const result = verdict.problem === undefined ? validated(document, verdict, options) : refused(verdict, document);
    // Not as arguments of one call: a broken file may have more problems than the stack takes.
    for (const problem of result.problems) problems.push(problem);
    if (result.agent !== undefined) {
      // Not the whole document, whose data would stay in memory as long as the place may be asked for.
      const { position } = document;
      agents.push({ agent: result.agent, file: name, position: () => position(NAME, 'value') });
    } else if (result.run !== undefined) {
      const { position } = document;
      runs.push({ run: result.run, file: name, position: (path = NAME) => position(path, 'value') });
    } else if (verdict.isRun !== true) {
      broken.push(keyOf(document, options));
    }
  }
  const notes = [...skipped].map(([kind, count]) => `${name}: skipped ${count === 1 ? kind : `${count} × ${kind}`}`);
  return { agents, runs, broken, problems, notes };
}

const NAME = ['metadata', 'name'];

/** What became of one document. */
interface Validated {
  readonly agent?: SourcedAgent['agent'];
  readonly run?: SourcedRun['run'];
  readonly problems: readonly Problem[];
}

function validated(document: InputDocument, { isRun }: Verdict, options: ValidationOptions): Validated {
  return isRun === true ? validateRunDocument(document, options) : validateDocument(document, options);
}

function refused({ problem }: Verdict, document: InputDocument): Validated {
  return { problems: problem === undefined ? [] : [{ ...problem, position: document.position(problem.path) }] };
}

function keyOf({ value }: InputDocument, { defaultNamespace = '' }: ValidationOptions): string {
  const metadata = isObject(value) && isObject(value['metadata']) ? value['metadata'] : {};
  const { namespace = defaultNamespace, name } = metadata;
  return typeof namespace === 'string' && typeof name === 'string' ? agentKey(namespace, name) : '';
}

interface Verdict {
  /** What the document is, when it is none of ours. */
  readonly skip?: string;
  readonly isRun?: true;
  readonly problem?: Problem;
}

/** Ours is every kind of our group, and whatever calls itself like one: a typing error must not drop an agent. */
function judge({ value }: InputDocument): Verdict {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { skip: 'a document that is no object' };
  const { kind, apiVersion } = value as Readonly<Record<string, unknown>>;
  if (kind === AGENT_KIND) return {};
  if (kind === RUN_KIND) return { isRun: true };
  if (typeof kind !== 'string') return ofOurGroup(apiVersion) ? {} : { skip: 'a document without kind' };
  if (!ofOurGroup(apiVersion)) return { skip: kind };
  return {
    problem: {
      severity: 'error',
      rule: 'UnknownKind',
      path: ['kind'],
      message: `${JSON.stringify(kind)} is not a kind that is rendered`,
      hint: `write apiVersion: ${API_VERSION} and kind: ${AGENT_KIND} or ${RUN_KIND}`,
    },
  };
}

function ofOurGroup(apiVersion: unknown): boolean {
  return typeof apiVersion === 'string' && apiVersion.split('/')[0] === GROUP;
}

/** Rules that are said once, however many agents they concern. */
const SAID_ONCE: ReadonlySet<string> = new Set(['FormerGroup']);

/** Leaves out what was said before, of those rules that one warning is enough for. */
export function onceEach(problems: readonly Problem[]): readonly Problem[] {
  const said = new Set<string>();
  return problems.filter(({ rule }) => {
    if (!SAID_ONCE.has(rule)) return true;
    if (said.has(rule)) return false;
    said.add(rule);
    return true;
  });
}
