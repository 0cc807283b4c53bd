import { mkdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { type ConvertedFile, convertFile } from '../lib/convert/convert-file.js';
import { EXIT, type ExitCode, IoError, reasonOf, UsageError } from './exit-codes.js';
import { findFiles } from './input/find-files.js';
import { readInputs } from './input/read-inputs.js';
import { writeWholeFile } from './output/write-file.js';
import { type Format, hasErrors, type Printer, printReport, type Report } from './report.js';

/** Arguments of `convert`. */
export interface ConvertOptions {
  readonly inputs: readonly string[];
  /** Folder to write to; the standard output without it. */
  readonly output?: string;
  readonly force: boolean;
  readonly format: Format;
}

/** A converted file and where it goes: a path below the output folder. */
interface Target extends ConvertedFile {
  readonly name: string;
  readonly source?: string;
  readonly path: string;
  readonly text: string;
}

/** Writes the agents of the former group as agents of this one. */
export function convert(options: ConvertOptions, printer: Printer, cwd: string): ExitCode {
  if (options.output !== undefined && options.inputs.includes('-'))
    throw new UsageError('- has no name to write to; leave --output out');
  const files = options.inputs.flatMap((input) => convertInput(input, cwd));
  const targets = files.filter((file): file is Target => file.text !== undefined);
  const report = reportOf(files);
  // On the standard output the report would stand between the documents.
  const reporter = options.output === undefined ? { ...printer, out: printer.err } : printer;
  printReport(report, options.format, reporter);
  if (hasErrors(report.problems)) return EXIT.invalid;
  if (options.output === undefined) {
    targets.forEach(({ text }, index) => {
      printer.out((index > 0 && !text.startsWith('---') ? `---\n${text}` : text).replace(/\r?\n$/, ''));
    });
    return EXIT.done;
  }
  const out = resolve(cwd, options.output);
  const refusals = refusalsOf(targets, out, options);
  refusals.forEach(printer.err);
  if (refusals.length > 0) return EXIT.invalid;
  for (const { path, text } of targets) write(join(out, path), text);
  const agents = targets.reduce((sum, file) => sum + file.agents, 0);
  if (options.format === 'text')
    printer.out(`${agents} agent${agents === 1 ? '' : 's'} converted to ${options.output}`);
  return EXIT.done;
}

/** A file of the inputs; without text when it has no agent to convert, or one that cannot be. */
type Candidate = Omit<Target, 'text'> & { readonly text?: string };

function convertInput(input: string, cwd: string): readonly Candidate[] {
  if (input === '-') return readInputs(['-'], cwd).map((file) => ({ name: file.name, path: '', ...judge(file) }));
  const { files, failures } = findFiles([input], cwd);
  if (failures.length > 0) throw new IoError(failures.map((line) => `cannot read ${line}`).join('\n'));
  const root = resolve(cwd, input);
  return files.map(({ path, name }) => ({
    name,
    source: path,
    path: path === root ? basename(path) : relative(root, path),
    ...judge({ name, bytes: readFile(path, name) }),
  }));
}

function judge(file: Parameters<typeof convertFile>[0]): ConvertedFile {
  return convertFile(file, { allowedClusterRoles: [], allowedBindingNamespaces: [], flux: false });
}

function reportOf(files: readonly Candidate[]): Report {
  const agents = files.reduce((sum, file) => sum + file.agents, 0);
  return {
    problems: files.flatMap(({ problems }) => problems),
    notes: [
      ...files.flatMap(({ name, skipped, notes }) => [...skipped.map((kind) => `${name}: skipped ${kind}`), ...notes]),
      ...(agents === 0 ? ['no HermesAgent of the former group found'] : []),
    ],
  };
}

function refusalsOf(targets: readonly Target[], out: string, options: ConvertOptions): readonly string[] {
  const taken = new Map<string, string>();
  return targets.flatMap((target) => {
    const place = join(options.output ?? '', target.path);
    const earlier = taken.get(target.path);
    taken.set(target.path, target.name);
    if (earlier !== undefined) return [`${place}: error: both ${earlier} and ${target.name} would be written here`];
    const path = join(out, target.path);
    const present = statSync(path, { throwIfNoEntry: false });
    if (present === undefined) return [];
    if (!present.isFile()) return [`${place}: error: is in the way and no file`];
    if (target.skipped.length > 0 && isSameFile(path, target.source))
      return [`${place}: error: holds other documents too (${target.skipped.join(', ')}), which would be lost`];
    if (options.force || readFile(path, place).toString('utf8') === target.text) return [];
    return [`${place}: error: exists; --force overwrites it`];
  });
}

function isSameFile(path: string, source: string | undefined): boolean {
  return source !== undefined && realpathSync(path) === realpathSync(source);
}

function readFile(path: string, name: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new IoError(`cannot read ${name}: ${reasonOf(error)}`, { cause: error });
  }
}

function write(path: string, text: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeWholeFile(path, text);
  } catch (error) {
    throw new IoError(`cannot write ${path}: ${reasonOf(error)}`, { cause: error });
  }
}
