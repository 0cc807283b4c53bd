import { parseAllDocuments } from 'yaml';
import { renderFleet } from '../../lib/emit/fleet.js';
import { formerRuns } from '../../lib/emit/rendered-run.js';
import { readFleet } from '../../lib/fleet/read-fleet.js';
import { problemLine } from '../../cli/report.js';
import { formatPath, type Problem } from '../../lib/validation/problem.js';

const FILE = 'fuzz.yaml';
const SETTINGS = { allowedClusterRoles: ['view'], allowedBindingNamespaces: ['ops'], defaultNamespace: 'lab' };

/** What reading and rendering some bytes came to. */
export interface FuzzOutcome {
  readonly agents: number;
  readonly runs: number;
  readonly errors: number;
}

/** Reads and renders a file of any bytes. Throws, with a reason, at whatever must not happen for any input. */
export function judgeBytes(bytes: Uint8Array): FuzzOutcome {
  const { agents, runs, problems, notes } = readFleet([{ name: FILE, bytes }], SETTINGS);
  const rendered = renderFleet(agents, {}, runs);
  const all = [...problems, ...rendered.problems];
  for (const problem of all) checkProblem(problem, bytes);
  for (const note of notes) checkVoice(note);
  for (const [path, content] of rendered.files) checkFile(path, content);
  // Nothing is written of a fleet in which anything is wrong.
  if (rendered.problems.length === 0) checkStable(rendered.files);
  return {
    agents: agents.length,
    runs: runs.length,
    errors: all.filter(({ severity }) => severity === 'error').length,
  };
}

function checkProblem(problem: Problem, bytes: Uint8Array): void {
  const { position, message } = problem;
  const line = problemLine(problem);
  if (position === undefined) throw new Error(`no position: ${line}`);
  const lines = Buffer.from(bytes)
    .toString('utf8')
    .split(/\r\n|\r|\n/).length;
  const isPlace = Number.isInteger(position.line) && Number.isInteger(position.column) && position.column >= 1;
  if (position.file !== FILE || !isPlace || position.line < 1 || position.line > lines) {
    throw new Error(`not a place of the file: ${JSON.stringify(position)}: ${line}`);
  }
  if (message === '') throw new Error(`says nothing: ${line}`);
  checkWords(line);
}

function checkWords(line: string): void {
  checkVoice(line);
  if (/[\u0000-\u001f\u007f-\u009f]/.test(line)) throw new Error(`speaks to the terminal: ${JSON.stringify(line)}`);
}

/** Messages are for people: no stack and no word of the program's own. */
function checkVoice(text: string): void {
  if (/\n\s+at |TypeError|RangeError|\[object Object\]|node_modules/.test(text)) {
    throw new Error(`speaks of code: ${text}`);
  }
}

function checkFile(path: string, content: Uint8Array): void {
  if (!/^[.a-z0-9][-.a-z0-9]*(\/[a-z0-9][-.a-z0-9]*)*$/.test(path))
    throw new Error(`writes to ${JSON.stringify(path)}`);
  const text = new TextDecoder('utf-8', { fatal: true }).decode(content);
  for (const document of parseAllDocuments(text)) {
    const [error] = 'errors' in document ? document.errors : [];
    if (error !== undefined) throw new Error(`renders text that is no YAML: ${path}: ${error.message}`);
  }
}

const UNIT_FILE = /\/(?:agents|runs)\/(?!kustomization\.yaml$)/;

/** What was rendered are agents and runs that render to the same, and runs that stay so without their agents. */
function checkStable(files: ReadonlyMap<string, Uint8Array>): void {
  const inputs = [...files].filter(([path]) => UNIT_FILE.test(path));
  const again = readFleet(
    inputs.map(([name, bytes]) => ({ name, bytes })),
    SETTINGS,
  );
  const error = again.problems.find(({ severity }) => severity === 'error');
  if (error !== undefined) throw new Error(`renders what it refuses: ${formatPath(error.path)}: ${error.message}`);
  const second = renderFleet(again.agents, {}, again.runs).files;
  const former = formerRuns((path) => files.get(path), 'dist');
  const kept = renderFleet([], { former }, again.runs).files;
  for (const [path, bytes] of inputs) {
    if (body(second.get(path)) !== body(bytes)) throw new Error(`renders ${path} to something else the second time`);
    if (path.includes('/runs/') && body(kept.get(path)) !== body(bytes)) throw new Error(`does not keep ${path}`);
  }
}

/** A file without its first line, which names the file that it was rendered from. */
function body(content: Uint8Array | undefined): string {
  return Buffer.from(content ?? [])
    .toString('utf8')
    .replace(/^#.*\n/, '');
}
