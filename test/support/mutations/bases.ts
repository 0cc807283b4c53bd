import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

import type { PathSegment } from '../../../lib/validation/problem.js';
import { placesOf, valueAt } from './tree.js';

/** A HermesAgent that mutations start from. */
export interface BaseAgent {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** A place of a base agent where a path of the schema has a value. */
export interface Place {
  readonly base: BaseAgent;
  readonly path: readonly PathSegment[];
}

const EXAMPLES = new URL('../../../examples/', import.meta.url);

/** Sets every field of the schema that an agent may set. */
export const kitchenSink = withOwnVariables(onlyAgentOf(new URL('kitchen-sink.yaml', import.meta.url)));

/** Holds the fields that the kitchen sink cannot hold beside others. */
const remainders = read(new URL('remainders.yaml', import.meta.url));

/** The agents of the examples. */
export const exampleAgents: readonly BaseAgent[] = readdirSync(fileURLToPath(EXAMPLES))
  .filter((file) => file.endsWith('.yaml'))
  .flatMap((file) => read(new URL(file, EXAMPLES)))
  .filter(({ kind }) => kind === 'HermesAgent');

/** Somewhere that has a value for a path of the schema; mutations are made there. */
export function placesFor(path: readonly string[]): readonly Place[] {
  return [kitchenSink, ...remainders].flatMap((base) =>
    [...placesOf(base, path)].map((place) => ({ base, path: place })),
  );
}

/** What a field of the spec cannot be valid without. */
const NEEDS: Readonly<Record<string, readonly string[]>> = {
  volumeMounts: ['volumes', 'securityContext'],
  env: ['volumes'],
  gateways: ['volumes'],
  llmProviders: ['volumes'],
  dashboard: ['volumes'],
  llmDefaultProvider: ['llmProviders', 'volumes'],
};

/** The volume that mounts and variables of the kitchen sink refer to. */
const COMMON_VOLUME = 'scratch';

/** Least company for a field: an agent with that place, whatever it needs, and the fields of `company` beside it. */
export function agentAround(place: Place, company: readonly string[] = []): BaseAgent {
  const { base, path } = place;
  const [, field] = path;
  const fields = typeof field === 'string' ? [field, ...company] : Object.keys(base.spec);
  const needed = new Set([...fields, ...fields.flatMap((name) => NEEDS[name] ?? [])]);
  const spec: Record<string, unknown> = { image: base.spec['image'], storage: base.spec['storage'] };
  for (const name of needed) {
    if (base.spec[name] === undefined) continue;
    spec[name] = name === 'volumes' && field !== 'volumes' ? commonVolume(base) : base.spec[name];
  }
  return { ...base, spec };
}

/** A place with nothing in the lists that lead to it but the items on the way. */
export function narrowed(place: Place): Place {
  let base: unknown = place.base;
  const path = [...place.path];
  for (const [depth, segment] of place.path.entries()) {
    const above = path.slice(0, depth);
    const list = valueAt(base, above);
    if (typeof segment !== 'number' || !Array.isArray(list) || !NARROW.has(String(above.at(-1)))) continue;
    base = replaced(base, above, [list[segment]]);
    path[depth] = 0;
  }
  return { base: base as BaseAgent, path };
}

/** Lists whose items stand for themselves. */
const NARROW = new Set(['volumes', 'volumeMounts', 'env', 'envFrom', 'sources', 'tolerations']);

function replaced(root: unknown, path: readonly PathSegment[], value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  const inner = replaced((root as Readonly<Record<PathSegment, unknown>>)[step], rest, value);
  if (Array.isArray(root)) return root.map((item: unknown, index) => (index === step ? inner : item));
  return { ...(root as object), [step]: inner };
}

function commonVolume(base: BaseAgent): readonly unknown[] {
  const source = Array.isArray(base.spec['volumes']) ? base.spec['volumes'] : [];
  const found = (source as readonly { readonly name: string }[]).filter(({ name }) => name === COMMON_VOLUME);
  return found.length > 0 ? found : source;
}

interface WithEnv {
  readonly env: readonly { readonly name: string }[];
}

/** Other names for the variables of providers and gateways, since of equal ones only the last is rendered. */
function withOwnVariables(base: BaseAgent): BaseAgent {
  const renamed = (field: string): readonly unknown[] =>
    (base.spec[field] as readonly WithEnv[]).map((entry) => ({
      ...entry,
      env: entry.env.map((variable) => ({ ...variable, name: `${field.toUpperCase()}_${variable.name}` })),
    }));
  return { ...base, spec: { ...base.spec, llmProviders: renamed('llmProviders'), gateways: renamed('gateways') } };
}

function onlyAgentOf(file: URL): BaseAgent {
  const [agent] = read(file);
  if (agent === undefined) throw new Error(`${file.pathname} holds no agent`);
  return agent;
}

function read(file: URL): BaseAgent[] {
  // Every anchor is a copy: an agent is a tree, and JSON has no anchors.
  return readFileSync(file, 'utf8')
    .split(/^---$/m)
    .map((text) => JSON.parse(JSON.stringify(parse(text, { merge: true, maxAliasCount: -1 }))) as BaseAgent);
}
