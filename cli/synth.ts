import { join, resolve } from 'node:path';
import type { Layout } from '../lib/emit/layout.js';
import type { FleetFile } from '../lib/fleet/read-fleet.js';
import { EXIT, type ExitCode, IoError, reasonOf } from './exit-codes.js';
import { type InputOptions, validationOptions } from './input/options.js';
import { readInputs } from './input/read-inputs.js';
import { refuseOwnInputs } from './output/own-inputs.js';
import { recallSynth, rememberSynth, synthKey } from './output/synth-cache.js';
import { unifiedDiff } from './output/text-diff.js';
import { withTreeLock } from './output/tree-lock.js';
import { planTree, presentText, type TreePlan } from './output/tree-plan.js';
import { recoverTree, writeTree } from './output/write-tree.js';
import { hasErrors, type Printer, printReport } from './report.js';

/** Arguments of `synth`. */
export interface SynthOptions extends InputOptions {
  readonly output: string;
  readonly layout: Layout;
  readonly check: boolean;
  readonly prune: boolean;
}

/** Most files that `--check` shows the differences of. */
const MAX_DIFFS = 50;

/** Renders the inputs to a folder, or compares the folder with what they render to. */
export async function synth(options: SynthOptions, printer: Printer, cwd: string): Promise<ExitCode> {
  const out = resolve(cwd, options.output);
  refuseOwnInputs(options.inputs, out, cwd);
  const files = readInputs(options.inputs, cwd);
  const run = (): Promise<ExitCode> => synthTo(out, files, options, printer);
  return options.check ? run() : withTreeLock(out, run);
}

async function synthTo(
  out: string,
  files: readonly FleetFile[],
  options: SynthOptions,
  printer: Printer,
): Promise<ExitCode> {
  const key = synthKey(files, keyOptions(options));
  // A tree that a killed synth left beside its place counts as the tree.
  if (!options.check)
    attempt(out, () => {
      recoverTree(out);
    });
  const cached = recallSynth(out, key);
  if (cached !== undefined) {
    printReport(cached.report, options.format, printer);
    say(options, printer, `${counted(cached)}, nothing changed in ${options.output}`);
    return EXIT.done;
  }
  // Only now: to load the renderer takes longer than to find that nothing has changed in a small fleet.
  const { renderInputs } = await import('./input/render-inputs.js');
  const rendered = renderInputs(files, options, out);
  const { agents, runs, problems, notes } = rendered;
  if (hasErrors(problems)) {
    printReport({ problems, notes }, options.format, printer);
    return EXIT.invalid;
  }
  const plan = attempt(out, () => planTree(out, rendered.files, options.prune));
  const report = { problems, notes: [...notes, ...planNotes(plan, agents + runs, files)] };
  printReport(report, options.format, printer);
  const refusal = refusalOf(plan, agents + runs, options);
  if (refusal.length > 0) {
    refusal.forEach(printer.err);
    return EXIT.invalid;
  }
  if (options.check) return check(out, plan, options, printer);
  attempt(out, () => {
    writeTree(out, plan);
  });
  rememberSynth(out, { key, report, agents, runs }, plan.files);
  say(options, printer, summary(plan, rendered, options.output));
  return EXIT.done;
}

/** All arguments that the written tree or the report depends on. */
function keyOptions(options: SynthOptions): Record<string, unknown> {
  const { layout, prune } = options;
  return { ...validationOptions(options), layout, prune };
}

function planNotes(plan: TreePlan, inputs: number, files: readonly FleetFile[]): readonly string[] {
  const kept = plan.leftovers.map((path) => `${path}: not rendered any more; --prune removes it`);
  return inputs > 0
    ? kept
    : [...kept, `no HermesAgent and no AgentRun in ${files.length} file${files.length === 1 ? '' : 's'}`];
}

function refusalOf(plan: TreePlan, inputs: number, options: SynthOptions): readonly string[] {
  const foreign = plan.foreign.map(
    (path) => `${join(options.output, path)}: error: was not written by hermes-gitops and is in the way`,
  );
  // An empty input is more often a wrong path than the wish to end every agent.
  const emptied = inputs === 0 && plan.removed.some((path) => !path.endsWith('kustomization.yaml'));
  return emptied
    ? [...foreign, 'error: no agent and no run in the inputs; --prune would remove every one of the output']
    : foreign;
}

function check(out: string, plan: TreePlan, options: SynthOptions, printer: Printer): ExitCode {
  const stale = [...plan.changed, ...plan.removed].sort();
  if (stale.length === 0) {
    say(options, printer, `${options.output} is up to date`);
    return EXIT.done;
  }
  if (options.format === 'text') {
    for (const path of stale.slice(0, MAX_DIFFS)) printer.out(fileDiff(out, path, plan));
    if (stale.length > MAX_DIFFS) printer.out(`… and ${stale.length - MAX_DIFFS} more files`);
  }
  printer.err(
    `error: ${options.output} is out of date in ${stale.length} file${stale.length === 1 ? '' : 's'}; run synth`,
  );
  return EXIT.invalid;
}

function fileDiff(out: string, path: string, plan: TreePlan): string {
  const before = presentText(join(out, path));
  const after = plan.removed.includes(path) ? '' : Buffer.from(plan.files.get(path) ?? '').toString('utf8');
  return `--- ${before === '' ? '/dev/null' : path}\n+++ ${after === '' ? '/dev/null' : path}\n${unifiedDiff(before, after)}`;
}

function summary(plan: TreePlan, counts: Counts, output: string): string {
  const { changed, removed, unchanged } = plan;
  if (changed.length === 0 && removed.length === 0) return `${counted(counts)}, nothing changed in ${output}`;
  const pruned = removed.length === 0 ? '' : `, ${removed.length} removed`;
  return `${counted(counts)} in ${output}: ${changed.length} files written, ${unchanged} unchanged${pruned}`;
}

/** How many agents and runs the inputs hold. */
export interface Counts {
  readonly agents: number;
  readonly runs: number;
}

/** Counts in words; runs only where there are any. */
export function counted({ agents, runs }: Counts): string {
  const words = `${agents} agent${agents === 1 ? '' : 's'}`;
  return runs === 0 ? words : `${words} and ${runs} run${runs === 1 ? '' : 's'}`;
}

/** Only in text: the other formats are read by machines. */
function say(options: InputOptions, printer: Printer, line: string): void {
  if (options.format === 'text') printer.out(line);
}

function attempt<T>(out: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw new IoError(`cannot write ${out}: ${reasonOf(error)}`, { cause: error });
  }
}
