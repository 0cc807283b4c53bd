import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { App } from 'cdk8s';
import { renderFleet } from '../lib/emit/fleet.js';
import { type FleetFile, readFleet } from '../lib/fleet/read-fleet.js';
import { formatPath, type Problem } from '../lib/validation/problem.js';
import { AgentChart } from './fleet.js';
import { installFiles } from './install/install-files.js';

/** Folder of the example agents, relative to the root of the package, where cdk8s runs this. */
const EXAMPLES = 'examples';

function exampleFiles(): readonly FleetFile[] {
  return readdirSync(EXAMPLES, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.ya?ml$/.test(path))
    .sort()
    .map((path) => ({ name: `${EXAMPLES}/${path}`, bytes: readFileSync(join(EXAMPLES, path)) }));
}

function packageVersion(): string {
  return (JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string }).version;
}

function writeFiles(folder: string, files: ReadonlyMap<string, string | Uint8Array>): void {
  for (const [path, content] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

function fail(problems: readonly Problem[]): never {
  const lines = problems.map(({ position, path, message }) => {
    return `${position?.file ?? ''}:${position?.line ?? 0}: ${formatPath(path)}: ${message}`;
  });
  throw new Error(`the examples are not valid\n${lines.join('\n')}`);
}

/** Renders the example fleet and the install set below cdk8s's output folder, which cdk8s has emptied before. */
function main(): void {
  const outdir = process.env['CDK8S_OUTDIR'] ?? 'dist';
  const { agents, problems } = readFleet(exampleFiles(), { allowedClusterRoles: [], allowedBindingNamespaces: [] });
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) fail(errors);

  // The constructs are validated as in every cdk8s app; writing goes through the renderer, whose time is linear in the
  // number of agents and whose files carry their sources.
  const app = new App({ outdir });
  for (const agent of agents) new AgentChart(app, agent);
  const invalid = app.node.findAll().flatMap((construct) => construct.node.validate());
  if (invalid.length > 0) throw new Error(invalid.join('\n'));

  const fleet = renderFleet(agents);
  if (fleet.problems.length > 0) fail(fleet.problems);
  writeFiles(join(outdir, 'fleet'), fleet.files);
  const image = `hermes-gitops-controller:${packageVersion()}`;
  writeFiles(join(outdir, 'install'), installFiles(app, { image }));
}

main();
