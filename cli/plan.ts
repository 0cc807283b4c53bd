import { resolve } from 'node:path';
import { renderAgent } from '../lib/children/render-agent.js';
import { renderFleet } from '../lib/emit/fleet.js';
import { type FleetFile, readFleet } from '../lib/fleet/read-fleet.js';
import { comparePlan, isDigestOnly, type Plan, type PlannedObject } from '../lib/plan/compare.js';
import { EXIT, type ExitCode, UsageError } from './exit-codes.js';
import { readInputs } from './input/read-inputs.js';
import { type Against, parseAgainst } from './plan/against.js';
import { planAgainstCluster } from './plan/cluster.js';
import { filesAtCommit } from './plan/git.js';
import type { PlanOptions } from './plan/options.js';
import { renderedObjects } from './plan/rendered-objects.js';
import { planText } from './plan/text.js';
import { hasErrors, type Printer, printReport, type Report, reportJson } from './report.js';
import { renderOptions, validationOptions } from './synth.js';

/** Says what would change if the inputs were rendered and applied. Writes nothing anywhere. */
export async function plan(options: PlanOptions, printer: Printer, cwd: string): Promise<ExitCode> {
  const against = parseAgainst(options.against, cwd);
  checkOptions(options, against);
  const rendered = render(readInputs(options.inputs, cwd), options);
  if (rendered.objects === undefined) return refuse(rendered, options, printer);
  const before = await compareWith(against, rendered.objects, options, cwd);
  if (before.plan === undefined) return refuse(before, options, printer);
  const report = { problems: rendered.problems, notes: [...rendered.notes, ...before.notes] };
  const isApplicable = before.plan.refused.every(({ certain }) => !certain);
  if (options.format === 'json') printer.out(planJson(before.plan, report, { against: options.against, isApplicable }));
  else {
    printReport(report, 'text', printer);
    printer.out(planText(before.plan));
  }
  return isApplicable ? EXIT.done : EXIT.invalid;
}

/** Inputs and what they render to; without objects when something is wrong with them. */
interface Rendering extends Report {
  readonly objects?: readonly PlannedObject[];
}

/** A plan and what there is to say beside it; without a plan when the other side is not valid. */
interface Comparison extends Report {
  readonly plan?: Plan;
}

function checkOptions(options: PlanOptions, against: Against): void {
  if (against.kind !== 'git' && options.output !== undefined)
    throw new UsageError('--output names the rendered folder in a commit, and --against names no commit');
  if (against.kind === 'cluster') return;
  if (options.context !== undefined || options.kubeconfig !== undefined || options.prune)
    throw new UsageError('--context, --kubeconfig and --prune go with --against cluster');
}

function render(files: readonly FleetFile[], options: PlanOptions): Rendering {
  const { agents, problems, notes } = readFleet(files, validationOptions(options));
  const all = hasErrors(problems) ? problems : [...problems, ...renderFleet(agents, renderOptions(options)).problems];
  if (hasErrors(all)) return { problems: all, notes };
  const objects = agents.flatMap(({ agent }) => renderAgent(agent, renderOptions(options)));
  return { objects, problems: all, notes };
}

async function compareWith(
  against: Against,
  objects: readonly PlannedObject[],
  options: PlanOptions,
  cwd: string,
): Promise<Comparison> {
  switch (against.kind) {
    case 'cluster':
      return { ...(await planAgainstCluster(objects, options)), problems: [] };
    case 'folder': {
      const before = renderedObjects(readInputs([against.path], cwd));
      return { plan: comparePlan(before, objects), problems: [], notes: [] };
    }
    case 'git':
      return compareWithCommit(against.ref, objects, options, cwd);
  }
}

/** With `--output` the rendered tree of the commit counts, else what its inputs render to today. */
function compareWithCommit(
  ref: string,
  objects: readonly PlannedObject[],
  options: PlanOptions,
  cwd: string,
): Comparison {
  const paths = options.output === undefined ? options.inputs : [resolve(cwd, options.output)];
  const files = filesAtCommit(ref, paths, cwd);
  const notes = files.length === 0 ? [`${ref} has no manifest in ${(options.output ?? paths.join(', ')) || '.'}`] : [];
  if (options.output !== undefined) return { plan: comparePlan(renderedObjects(files), objects), problems: [], notes };
  const before = render(files, options);
  if (before.objects === undefined) {
    const hint = `the inputs of ${ref} are not valid today; --output compares with what was rendered from them`;
    return { problems: before.problems.filter(({ severity }) => severity === 'error'), notes: [hint] };
  }
  return { plan: comparePlan(before.objects, objects), problems: [], notes };
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
