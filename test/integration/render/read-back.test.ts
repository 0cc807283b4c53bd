import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import type { KubeManifest } from '../../../lib/children/manifest.js';
import { renderAgent } from '../../../lib/children/render-agent.js';
import { readFleet } from '../../../lib/fleet/read-fleet.js';
import { neighboursOf } from '../../../lib/runs/neighbours.js';
import { resolveRun } from '../../../lib/runs/resolve-run.js';
import { describeOnBed, sharedBed } from '../../cluster/bed.js';
import type { KubeManifest as Stored } from '../../cluster/client.js';
import { installCrds } from '../../cluster/install-crds.js';
import { goldenCases, goldenManifests } from '../../support/golden.js';
import { goldenRunCases, goldenRunManifests } from '../../support/golden-runs.js';

const EXAMPLES = join(import.meta.dirname, '..', '..', '..', 'examples');

function exampleManifests(file: string): readonly KubeManifest[] {
  const { agents } = readFleet([{ name: file, bytes: readFileSync(join(EXAMPLES, file)) }], {
    allowedClusterRoles: [],
    allowedBindingNamespaces: [],
  });
  return agents.flatMap(({ agent }) => renderAgent(agent));
}

// Runs are below, with the agents that they name.
const EXAMPLE_FILES = readdirSync(EXAMPLES).filter((file) => file.endsWith('.yaml') && file !== 'run.yaml');

function exampleRuns(): readonly KubeManifest[] {
  const files = readdirSync(EXAMPLES)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => ({ name: file, bytes: readFileSync(join(EXAMPLES, file)) }));
  const { agents, runs } = readFleet(files, { allowedClusterRoles: [], allowedBindingNamespaces: [] });
  const neighbours = neighboursOf(agents.map(({ agent }) => agent));
  return runs.flatMap(
    ({ run }) => Object.values(resolveRun(run, undefined, neighbours).children ?? {}) as KubeManifest[],
  );
}

const CASES: readonly (readonly [string, readonly KubeManifest[]])[] = [
  ...EXAMPLE_FILES.map((file) => [`examples/${file}`, exampleManifests(file)] as const),
  ['examples/run.yaml', exampleRuns()] as const,
  // The bed does not serve Sandboxes.
  ...goldenRunCases()
    .filter((name) => name !== 'sandbox')
    .map((name) => [`test/golden-runs/${name}`, goldenRunManifests(name)] as const),
  ...goldenCases().map((name) => [`test/golden/${name}`, goldenManifests(name)] as const),
];

/** What the API server changed of what was sent, as paths; what it added does not count. */
function differences(sent: unknown, stored: unknown, path = ''): readonly string[] {
  if (Array.isArray(sent) && Array.isArray(stored) && sent.length === stored.length) {
    return sent.flatMap((item: unknown, index) => differences(item, stored[index], `${path}[${index}]`));
  }
  if (isMap(sent) && isMap(stored)) {
    return Object.entries(sent).flatMap(([key, value]) => differences(value, stored[key], `${path}.${key}`));
  }
  return JSON.stringify(sent) === JSON.stringify(stored)
    ? []
    : [`${path}: ${JSON.stringify(sent)} became ${JSON.stringify(stored)}`];
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

describeOnBed('the API server', () => {
  const { client } = sharedBed();

  beforeAll(async () => {
    await installCrds(client);
    for (const name of ['lab', 'ops', 'research', 'support']) {
      await client.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, { force: true });
    }
  });

  it.each(CASES)('takes every object of %s without a warning, and keeps it as it is', async (_, manifests) => {
    expect(manifests.length).toBeGreaterThanOrEqual(2);
    for (const manifest of manifests) {
      const answer = await client.apply(manifest as Stored, { dryRun: true, force: true });
      expect(answer.warnings, manifest.kind).toEqual([]);
      expect(differences(manifest, answer.body), `${manifest.kind} ${manifest.metadata.name}`).toEqual([]);
    }
  });
});
