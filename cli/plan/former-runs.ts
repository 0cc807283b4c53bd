import { RUN_KIND } from '../../lib/api/identity.js';
import type { KubeManifest } from '../../lib/children/manifest.js';
import { runFilePath } from '../../lib/emit/layout.js';
import type { RunName } from '../../lib/emit/rendered-agent.js';
import { formerRunIn } from '../../lib/emit/rendered-run.js';
import type { FleetFile } from '../../lib/fleet/read-fleet.js';
import { runWorkloadName } from '../../lib/names.js';
import type { PlannedObject } from '../../lib/plan/compare.js';
import type { FormerRun } from '../../lib/runs/former-run.js';

/** What a run was before; undefined for a new one. */
export type FindFormer = (run: RunName) => FormerRun | undefined;

/** The runs among objects, as they are found. */
export function formerAmong(objects: readonly PlannedObject[]): FindFormer {
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
    const manifest = workload as KubeManifest | undefined;
    return { spec: run.spec, problems: [], isFound: true, ...(manifest && { workload: { manifest } }) };
  };
}

/** Steps of a path that {@link runFilePath} makes. */
const STEPS = 3;

/** The runs in files that synth wrote where it puts them, whatever folder the tree is in; each is held to what was written. */
export function formerInFiles(files: readonly FleetFile[]): FindFormer {
  // The name of a file of a commit begins with the commit and a colon.
  const byPath = new Map(files.map((file) => [file.name.split(/[/:]/).slice(-STEPS).join('/'), file]));
  return (run) => {
    const file = byPath.get(runFilePath(run));
    return file && formerRunIn(file, run);
  };
}
