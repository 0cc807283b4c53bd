import { resolve } from 'node:path';
import { RUN_KIND } from '../lib/api/identity.js';
import type { KubeManifest } from '../lib/children/manifest.js';
import { renderAgent } from '../lib/children/render-agent.js';
import { renderFleet } from '../lib/emit/fleet.js';
import type { RunName } from '../lib/emit/rendered-agent.js';
import { type FleetFile, readFleet } from '../lib/fleet/read-fleet.js';
import { comparePlan, isDigestOnly, type Plan, type PlannedObject } from '../lib/plan/compare.js';
import { runWorkloadName } from '../lib/names.js';
import type { FormerRun } from '../lib/runs/former-run.js';
import { neighboursOf } from '../lib/runs/neighbours.js';
import { resolveRun } from '../lib/runs/resolve-run.js';
import { EXIT, type ExitCode, UsageError } from './exit-codes.js';
import { readInputs } from './input/read-inputs.js';
import { type Against, parseAgainst } from './plan/against.js';
import { planAgainstCluster } from './plan/cluster.js';
import { filesAtCommit } from './plan/git.js';
import type { PlanOptions } from './plan/options.js';
import { renderedObjects } from './plan/rendered-objects.js';
import { planText } from './plan/text.js';
import { hasErrors, type Printer, printReport, type Report, reportJson } from './report.js';
import { renderOptions, validationOptions } from './input/options.js';

/** Says what would change if the inputs were rendered and applied. Writes nothing anywhere. */
export async function plan(options: PlanOptions, printer: Printer, cwd: string): Promise<ExitCode> {
  const against = parseAgainst(options.against, cwd);
  checkOptions(options, against);
  const files = readInputs(options.inputs, cwd);
  const before = formerObjects(against, options, cwd);
  const rendered = render(files, options, before.objects);
  if (rendered.objects === undefined) return refuse(rendered, options, printer);
  if (before.problems.length > 0) return refuse(before, options, printer);
  const { plan, notes } =
    before.objects === undefined
      ? await planAgainstCluster(rendered.objects, options)
      : { plan: comparePlan(before.objects, rendered.objects), notes: before.notes };
  const report = { problems: rendered.problems, notes: [...rendered.notes, ...notes] };
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

function checkOptions(options: PlanOptions, against: Against): void {
  if (against.kind !== 'git' && options.output !== undefined)
    throw new UsageError('--output names the rendered folder in a commit, and --against names no commit');
  if (against.kind === 'cluster') return;
  if (options.context !== undefined || options.kubeconfig !== undefined || options.prune)
    throw new UsageError('--context, --kubeconfig and --prune go with --against cluster');
}

/** What the inputs render to; runs that are among `before` stay as they were rendered. */
function render(files: readonly FleetFile[], options: PlanOptions, before: readonly PlannedObject[] = []): Rendering {
  const { agents, runs, problems, notes } = readFleet(files, validationOptions(options));
  if (hasErrors(problems)) return { problems, notes };
  // A changed run is shown among what is refused, like every other change that cannot be.
  const rendering = { ...renderOptions(options), former: formerAmong(before), changed: 'rendered' } as const;
  const all = [...problems, ...renderFleet(agents, rendering, runs).problems];
  if (hasErrors(all)) return { problems: all, notes };
  const neighbours = neighboursOf(agents.map(({ agent }) => agent));
  const objects = [
    ...agents.flatMap(({ agent }) => renderAgent(agent, rendering)),
    ...runs.flatMap(({ run }) => {
      const { children } = resolveRun(run, rendering.former(run), neighbours, rendering);
      return children === undefined ? [] : [children.agentRun, children.workload];
    }),
  ];
  return { objects, problems: all, notes };
}

/** The runs among rendered objects. */
function formerAmong(objects: readonly PlannedObject[]): (run: RunName) => FormerRun | undefined {
  const runs = new Map<string, PlannedObject>();
  const workloads = new Map<string, PlannedObject>();
  for (const object of objects) {
    const { name, namespace = '' } = object.metadata;
    if (object.kind === RUN_KIND) runs.set(`${namespace}/${name}`, object);
    if (object.kind === 'Job' || object.kind === 'Sandbox') workloads.set(`${namespace}/${name}`, object);
  }
  return ({ namespace, name }) => {
    const run = runs.get(`${namespace}/${name}`);
    const workload = workloads.get(`${namespace}/${runWorkloadName(name)}`);
    if (run === undefined) return undefined;
    return { spec: run.spec, problems: [], ...(workload && { workload: { manifest: workload as KubeManifest } }) };
  };
}

/** The objects of the other side, unless that is the cluster, which is asked for each of them. */
function formerObjects(against: Against, options: PlanOptions, cwd: string): Rendering {
  switch (against.kind) {
    case 'cluster':
      return { problems: [], notes: [] };
    case 'folder':
      return { objects: renderedObjects(readInputs([against.path], cwd)), problems: [], notes: [] };
    case 'git':
      return objectsAtCommit(against.ref, options, cwd);
  }
}

/** With `--output` the rendered tree of the commit counts, else what its inputs render to today. */
function objectsAtCommit(ref: string, options: PlanOptions, cwd: string): Rendering {
  const paths = options.output === undefined ? options.inputs : [resolve(cwd, options.output)];
  const files = filesAtCommit(ref, paths, cwd);
  const notes = files.length === 0 ? [`${ref} has no manifest in ${(options.output ?? paths.join(', ')) || '.'}`] : [];
  if (options.output !== undefined) return { objects: renderedObjects(files), problems: [], notes };
  const before = render(files, options);
  if (before.objects !== undefined) return { objects: before.objects, problems: [], notes };
  const hint = `the inputs of ${ref} are not valid today; --output compares with what was rendered from them`;
  return { problems: before.problems.filter(({ severity }) => severity === 'error'), notes: [hint] };
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
