import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { agentRunSpecSchema } from '../../../lib/api/agent-run-schema.js';
import type { KubeManifest } from '../../../lib/children/manifest.js';
import { toYaml } from '../../../lib/emit/yaml.js';
import { readDocuments } from '../../../lib/input/documents.js';
import { withWorkloadDigest, workloadDigest } from '../../../lib/runs/workload-digest.js';
import {
  GOLDEN_RUNS,
  goldenRunCases,
  goldenRunInput,
  goldenRunManifests,
  goldenRunOutput,
} from '../../support/golden-runs.js';

it.each(goldenRunCases())('renders the run %s', (name) => {
  expect(goldenRunOutput(name)).toBe(readFileSync(join(GOLDEN_RUNS, name, 'expected.yaml'), 'utf8'));
});

it('has a case for every field of ours', () => {
  const written = new Set(
    goldenRunCases().flatMap((name) =>
      parseAllDocuments(Buffer.from(goldenRunInput(name)).toString('utf8'))
        .map((document) => document.toJS() as { readonly kind: string; readonly spec: object })
        .filter(({ kind }) => kind === 'AgentRun')
        .flatMap(({ spec }) => Object.keys(spec)),
    ),
  );
  expect(Object.keys(agentRunSpecSchema.properties ?? {}).filter((field) => !written.has(field))).toEqual([]);
});

it.each(goldenRunCases())('keeps out of %s what would start the run again or take the agent along', (name) => {
  const [, workload] = goldenRunManifests(name);
  const text = JSON.stringify(workload);
  for (const never of [
    'ttlSecondsAfterFinished',
    '"suspend"',
    'operatingMode',
    'sync-wave',
    'ownerReferences',
    '"hermes-gitops.dev/agent"',
    'DISCORD_BOT_TOKEN',
    '"hermes-mia-data"',
    '"home"',
  ]) {
    expect(text).not.toContain(never);
  }
  expect(text).toContain('"restartPolicy":"Never"');
});

it.each(goldenRunCases())('reads the digest of %s back from its YAML', (name) => {
  const [, workload] = goldenRunManifests(name);
  if (workload === undefined) throw new Error(`${name} renders no workload`);
  const marked = withWorkloadDigest(workload);
  const [read] = readDocuments(Buffer.from(toYaml(marked)), name).documents;
  expect(workloadDigest(read?.value as KubeManifest)).toBe(
    marked.metadata.annotations?.['hermes-gitops.dev/workload-digest'],
  );
});
