import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeManifest } from '../../lib/children/manifest.js';
import { toYamlStream } from '../../lib/emit/yaml.js';
import { readFleet } from '../../lib/fleet/read-fleet.js';
import { neighboursOf } from '../../lib/runs/neighbours.js';
import { resolveRun } from '../../lib/runs/resolve-run.js';
import { formatPath } from '../../lib/validation/problem.js';

/** One folder for each case: a run with the agent that it needs, and what the run has to render to. */
export const GOLDEN_RUNS = join(import.meta.dirname, '..', 'golden-runs');

/** Names of the cases. */
export function goldenRunCases(): readonly string[] {
  return readdirSync(GOLDEN_RUNS).sort();
}

/** The input of a case. */
export function goldenRunInput(name: string): Uint8Array {
  return readFileSync(join(GOLDEN_RUNS, name, 'input.yaml'));
}

/** What the run of a case renders to. */
export function goldenRunManifests(name: string): readonly KubeManifest[] {
  const { agents, runs, problems } = readFleet([{ name, bytes: goldenRunInput(name) }], {
    allowedClusterRoles: [],
    allowedBindingNamespaces: [],
  });
  const neighbours = neighboursOf(agents.map(({ agent }) => agent));
  const resolutions = runs.map(({ run }) => resolveRun(run, undefined, neighbours));
  const errors = [...problems, ...resolutions.flatMap((resolution) => resolution.problems)].filter(
    ({ severity }) => severity === 'error',
  );
  if (errors.length > 0)
    throw new Error(errors.map(({ path, message }) => `${formatPath(path)}: ${message}`).join('\n'));
  return resolutions.flatMap(({ children }) => (children === undefined ? [] : [children.agentRun, children.workload]));
}

/** The same as text. */
export function goldenRunOutput(name: string): string {
  return toYamlStream(goldenRunManifests(name));
}
