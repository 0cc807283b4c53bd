import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ANNOTATIONS } from '../../lib/api/identity.js';
import type { KubeManifest } from '../../lib/children/manifest.js';
import { renderAgent } from '../../lib/children/render-agent.js';
import { toYaml, toYamlStream } from '../../lib/emit/yaml.js';
import { readFleet } from '../../lib/fleet/read-fleet.js';
import { formatPath } from '../../lib/validation/problem.js';

/** One folder for each case: what goes in, and what has to come out. */
export const GOLDEN = join(import.meta.dirname, '..', 'golden');

/** The case that all others are compared with. */
const BASE = 'minimal';

/** Names of the cases. */
export function goldenCases(): readonly string[] {
  return readdirSync(GOLDEN).sort();
}

/** The input of a case. */
export function goldenInput(name: string): Uint8Array {
  return readFileSync(join(GOLDEN, name, 'input.yaml'));
}

/**
 * What a case renders to. To keep the files readable, only the objects that are not those of the minimal agent, each
 * whole; those that it has and this one lacks are named.
 */
export function goldenOutput(name: string): string {
  const manifests = goldenManifests(name);
  if (name === BASE) return toYamlStream(manifests);
  const base = goldenManifests(BASE);
  const known = new Set(base.map(withoutDigest));
  const lacking = base.map(identity).filter((id) => !manifests.some((manifest) => identity(manifest) === id));
  const comments = lacking.map((id) => `# without ${id}\n`);
  return comments.join('') + toYamlStream(manifests.filter((manifest) => !known.has(withoutDigest(manifest))));
}

/** All manifests of a case. */
export function goldenManifests(name: string): readonly KubeManifest[] {
  const { agents, problems } = readFleet([{ name, bytes: goldenInput(name) }], {
    allowedClusterRoles: ['node-reader'],
    allowedBindingNamespaces: ['ops'],
  });
  const errors = problems.filter(({ severity }) => severity === 'error');
  const [first] = agents;
  if (first === undefined || errors.length > 0) {
    throw new Error(errors.map(({ path, message }) => `${formatPath(path)}: ${message}`).join('\n'));
  }
  return renderAgent(first.agent);
}

function identity({ kind, metadata }: KubeManifest): string {
  return `${kind} ${metadata.name}`;
}

function withoutDigest(manifest: KubeManifest): string {
  const annotations = { ...manifest.metadata.annotations, [ANNOTATIONS.specDigest]: '' };
  return toYaml({ ...manifest, metadata: { ...manifest.metadata, annotations } });
}
