import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'cdk8s';
import { renderFleet } from '../lib/emit/fleet.js';
import { runFilePath } from '../lib/emit/layout.js';
import { formerRuns } from '../lib/emit/rendered-run.js';
import { type FleetFile, readFleet } from '../lib/fleet/read-fleet.js';
import { formatPath, type Problem } from '../lib/validation/problem.js';
import { AgentChart, RunChart } from './fleet.js';
import { formerTree } from './former-tree.js';
import { installFiles } from './install/install-files.js';

/** Folder of the example agents, relative to the root of the package. */
const EXAMPLES = 'examples';

/** Where they are rendered to. */
const FLEET = 'dist/fleet';

/**
 * All that `cdk8s synth` writes, by its path below the output folder: the example fleet and the install set.
 * `root` is the folder of this package. Throws when anything in it is not valid.
 */
export function distFiles(root: string): ReadonlyMap<string, Uint8Array> {
  const app = new App();
  const sets: readonly (readonly [string, ReadonlyMap<string, string | Uint8Array>])[] = [
    ['fleet', fleetFiles(app, root)],
    ['install', installFiles(app, { image: `hermes-gitops-controller:${packageVersion(root)}` })],
  ];
  return new Map(
    sets.flatMap(([folder, files]) =>
      [...files].map(([path, content]) => [`${folder}/${path}`, Buffer.from(content)] as const),
    ),
  );
}

function fleetFiles(app: App, root: string): ReadonlyMap<string, Uint8Array> {
  const gates = { allowedClusterRoles: [], allowedBindingNamespaces: [] };
  const { agents, runs, problems } = readFleet(exampleFiles(root), gates);
  refuse(problems.filter(({ severity }) => severity === 'error'));

  // The constructs are validated as in every cdk8s app; the files come from the renderer, whose time is linear in the
  // number of agents and whose headers carry their sources.
  const former = formerTree(root, FLEET);
  const charts = new Map(agents.map((sourced) => [nameOf(sourced.agent), new AgentChart(app, sourced)]));
  for (const sourced of runs) {
    const { namespace, spec } = sourced.run;
    const agent = charts.get(nameOf({ namespace, name: spec.agentRef?.name ?? '' }))?.agent;
    const text = former(runFilePath(sourced.run));
    new RunChart(app, sourced, { agent, former: text && Buffer.from(text).toString('utf8') });
  }
  const invalid = app.node.findAll().flatMap((construct) => construct.node.validate());
  if (invalid.length > 0) throw new Error(invalid.join('\n'));

  const fleet = renderFleet(agents, { former: formerRuns(former, FLEET) }, runs);
  refuse(fleet.problems);
  return fleet.files;
}

function nameOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}

function exampleFiles(root: string): readonly FleetFile[] {
  return readdirSync(join(root, EXAMPLES), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.ya?ml$/.test(path))
    .sort()
    .map((path) => ({ name: `${EXAMPLES}/${path}`, bytes: readFileSync(join(root, EXAMPLES, path)) }));
}

function packageVersion(root: string): string {
  return (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string }).version;
}

function refuse(problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  const lines = problems.map(({ position, path, message }) => {
    return `${position?.file ?? ''}:${position?.line ?? 0}: ${formatPath(path)}: ${message}`;
  });
  throw new Error(`the examples are not valid\n${lines.join('\n')}`);
}
