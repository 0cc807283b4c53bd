import { resolve } from 'node:path';
import { renderAgent } from '../lib/children/render-agent.js';
import { renderFleet } from '../lib/emit/fleet.js';
import { type FleetFile, readFleet } from '../lib/fleet/read-fleet.js';
import { comparePlan, isDigestOnly, type Plan, type PlannedObject } from '../lib/plan/compare.js';
import { neighboursOf } from '../lib/runs/neighbours.js';
import { resolveRun } from '../lib/runs/resolve-run.js';
import type { Problem } from '../lib/validation/problem.js';
import { EXIT, type ExitCode, IoError, UsageError } from './exit-codes.js';
import { readInputs } from './input/read-inputs.js';
import { type Against, parseAgainst } from './plan/against.js';
import { planAgainstCluster } from './plan/cluster.js';
import { type FindFormer, formerAmong, formerInFiles } from './plan/former-runs.js';
import { filesAtCommit } from './plan/git.js';
import type { PlanOptions } from './plan/options.js';
import { renderedObjects } from './plan/rendered-objects.js';
import { planText } from './plan/text.js';
import { hasErrors, type Printer, printReport, problemLine, type Report, reportJson } from './report.js';
import { renderOptions, validationOptions } from './input/options.js';

/** Says what would change if the inputs were rendered and applied. Writes nothing anywhere. */
export async function plan(options: PlanOptions, printer: Printer, cwd: string): Promise<ExitCode> {
  const against = parseAgainst(options.against, cwd);
  checkOptions(options, against);
  const files = readInputs(options.inputs, cwd);
  const before = formerState(against, options, cwd);
  const rendered = render(files, options, before);
  if (rendered.objects === undefined) return refuse(rendered, options, printer);
  if (before.problems.length > 0) return refuse(before, options, printer);
  if (!before.isPast && before.unread.length > 0) throw new IoError(before.unread.map(problemLine).join('\n'));
  const { plan, notes } =
    before.objects === undefined
      ? await planAgainstCluster(rendered.objects, options)
      : { plan: comparePlan(before.objects, rendered.objects), notes: before.notes };
  const report = {
    problems: [...rendered.problems, ...unreadWarnings(before, rendered)],
    notes: [...rendered.notes, ...notes],
  };
  const isApplicable = plan.refused.every(({ certain }) => !certain);
  if (options.format === 'json') printer.out(planJson(plan, report, { against: options.against, isApplicable }));
  else {
    printReport(report, 'text', printer);
    printer.out(planText(plan));
  }
  return isApplicable ? EXIT.done : EXIT.invalid;
}

/** Objects, and what there is to say beside them; without objects when they are the cluster's or cannot be had. */
interface Rendering extends Report {
  readonly objects?: readonly PlannedObject[];
}

/** The other side. */
interface FormerState extends Rendering {
  /** Why some of it cannot be read. */
  readonly unread: readonly Problem[];
  /** What its runs were rendered to, by the files that synth wrote; none where there are no such files. */
  readonly written?: FindFormer;
  /** It is as it is: what somebody has edited or broken there is told, and compared all the same. */
  readonly isPast?: boolean;
}

const NOTHING = { problems: [], notes: [], unread: [] } as const;

function checkOptions(options: PlanOptions, against: Against): void {
  if (against.kind !== 'git' && options.output !== undefined)
    throw new UsageError('--output names the rendered folder in a commit, and --against names no commit');
  if (against.kind === 'cluster') return;
  if (options.context !== undefined || options.kubeconfig !== undefined || options.prune)
    throw new UsageError('--context, --kubeconfig and --prune go with --against cluster');
}

/** What the inputs render to; runs that were there `before` stay as they were rendered. */
function render(files: readonly FleetFile[], options: PlanOptions, before: FormerState = NOTHING): Rendering {
  const { agents, runs, problems, notes } = readFleet(files, validationOptions(options));
  if (hasErrors(problems)) return { problems, notes };
  const found = formerAmong(before.objects ?? []);
  const former: FindFormer = (run) => (before.isPast ? undefined : before.written?.(run)) ?? found(run);
  // A changed run is shown among what is refused, like every other change that cannot be.
  const rendering = { ...renderOptions(options), former, changed: 'rendered' } as const;
  const all = [...problems, ...renderFleet(agents, rendering, runs).problems];
  if (hasErrors(all)) return { problems: all, notes };
  const neighbours = neighboursOf(agents.map(({ agent }) => agent));
  const objects = [
    ...agents.flatMap(({ agent }) => renderAgent(agent, rendering)),
    ...runs.flatMap(({ run }) => {
      const { children } = resolveRun(run, former(run), neighbours, rendering);
      return children === undefined ? [] : [children.agentRun, children.workload];
    }),
  ];
  const edits = runs.flatMap(({ run }) => {
    const written = before.isPast ? before.written?.(run) : undefined;
    return written === undefined ? [] : resolveRun(run, written, neighbours, rendering).problems;
  });
  return { objects, problems: [...all, ...edits.map(asWarning)], notes };
}

function asWarning(problem: Problem): Problem {
  return { ...problem, severity: 'warning' };
}

/** What cannot be read of a commit, unless it was told of the file already. */
function unreadWarnings({ isPast, unread }: FormerState, { problems }: Rendering): readonly Problem[] {
  if (isPast !== true) return [];
  const told = new Set(problems.map(({ position }) => position?.file));
  return unread
    .filter(({ position }) => !told.has(position?.file))
    .map((problem) => ({
      ...asWarning(problem),
      message: `cannot be read, and counts as not there: ${problem.message}`,
      hint: 'restore the file from Git',
    }));
}

/** The objects of the other side, unless that is the cluster, which is asked for each of them. */
function formerState(against: Against, options: PlanOptions, cwd: string): FormerState {
  switch (against.kind) {
    case 'cluster':
      return NOTHING;
    case 'folder': {
      const files = readInputs([against.path], cwd);
      return { ...NOTHING, ...renderedObjects(files), written: formerInFiles(files) };
    }
    case 'git':
      return stateAtCommit(against.ref, options, cwd);
  }
}

/** With `--output` the rendered tree of the commit counts, else what its inputs render to today. */
function stateAtCommit(ref: string, options: PlanOptions, cwd: string): FormerState {
  const paths = options.output === undefined ? options.inputs : [resolve(cwd, options.output)];
  const files = filesAtCommit(ref, paths, cwd);
  const notes = files.length === 0 ? [`${ref} has no manifest in ${(options.output ?? paths.join(', ')) || '.'}`] : [];
  if (options.output !== undefined) {
    return { ...NOTHING, ...renderedObjects(files), notes, written: formerInFiles(files), isPast: true };
  }
  const before = render(files, options);
  if (before.objects !== undefined) return { ...NOTHING, objects: before.objects, notes };
  const hint = `the inputs of ${ref} are not valid today; --output compares with what was rendered from them`;
  return { ...NOTHING, problems: before.problems.filter(({ severity }) => severity === 'error'), notes: [hint] };
}

function refuse(report: Report, options: PlanOptions, printer: Printer): ExitCode {
  printReport(report, options.format, printer);
  return EXIT.invalid;
}

function planJson(plan: Plan, report: Report, head: { against: string; isApplicable: boolean }): string {
  const changed = plan.changed.map((change) => ({ ...change, digestOnly: isDigestOnly(change) }));
  const { against, isApplicable } = head;
  return JSON.stringify({ against, applicable: isApplicable, ...reportJson(report), ...plan, changed }, null, 2);
}
