import { formatPath, type Problem } from '../lib/validation/problem.js';

/** How problems are printed. */
export const FORMATS = ['text', 'json', 'github'] as const;

/** One of {@link FORMATS}. */
export type Format = (typeof FORMATS)[number];

/** All that a verb has to say about its inputs. */
export interface Report {
  readonly problems: readonly Problem[];
  /** What is worth knowing and no fault. */
  readonly notes: readonly string[];
}

/** Where lines go; the entry file connects it to the process. */
export interface Printer {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** Prints a report: text for people to the error stream, what machines read to the output. */
export function printReport({ problems, notes }: Report, format: Format, printer: Printer): void {
  const ordered = [...problems].sort(byPlace);
  switch (format) {
    case 'text':
      for (const problem of ordered) printer.err(problemLine(problem));
      for (const note of notes) printer.err(`note: ${printable(note)}`);
      return;
    case 'json':
      printer.out(JSON.stringify(reportJson({ problems, notes }), null, 2));
      return;
    case 'github':
      for (const problem of ordered) printer.out(annotation(problem));
      for (const note of notes) printer.out(`::notice::${escapeData(printable(note))}`);
      return;
  }
}

/** A report as the JSON formats hold it. */
export function reportJson({ problems, notes }: Report): { problems: readonly unknown[]; notes: readonly string[] } {
  return { problems: [...problems].sort(byPlace).map(asJson), notes };
}

/** Whether anything in `problems` keeps the inputs from being rendered. */
export function hasErrors(problems: readonly Problem[]): boolean {
  return problems.some(({ severity }) => severity === 'error');
}

/** `file:line:column: error: path: message (hint)`. */
export function problemLine(problem: Problem): string {
  const { position, severity } = problem;
  const place = position === undefined ? '' : `${position.file}:${position.line}:${position.column}: `;
  return printable(`${place}${severity}: ${sentence(problem)}`);
}

/** Inputs are quoted in messages, and must not speak to the terminal or begin a line of their own. */
function printable(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

function sentence({ path, message, hint }: Problem): string {
  const field = formatPath(path);
  return `${field === '' ? '' : `${field}: `}${message} (${hint})`;
}

function asJson({ severity, rule, path, message, hint, position }: Problem): Record<string, unknown> {
  return { severity, rule, ...position, path: formatPath(path), message, hint };
}

/** A workflow command, which GitHub shows at the line of the change. */
function annotation(problem: Problem): string {
  const { position, rule, severity } = problem;
  const properties =
    position === undefined ? '' : `file=${escapeProperty(position.file)},line=${position.line},col=${position.column},`;
  return `::${severity} ${properties}title=${escapeProperty(rule)}::${escapeData(printable(sentence(problem)))}`;
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

function byPlace(a: Problem, b: Problem): number {
  const [one, two] = [a.position, b.position];
  if (one === undefined || two === undefined) return Number(one === undefined) - Number(two === undefined);
  if (one.file !== two.file) return one.file < two.file ? -1 : 1;
  return one.line - two.line || one.column - two.column;
}
