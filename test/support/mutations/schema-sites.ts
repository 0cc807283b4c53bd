import { hermesAgentCrd } from '../../../lib/api/crd.js';
import type { CelRule, JsonSchema } from '../../../lib/api/json-schema.js';

/** Any item of a list. */
export const ITEM = '[]';

/** Any value of a map. */
export const VALUE = '{}';

/** One field of the schema, or the items of a list, or the values of a map. */
export interface SchemaSite {
  /** From the root of the object, with {@link ITEM} and {@link VALUE} for what has no name. */
  readonly path: readonly string[];
  readonly schema: JsonSchema;
}

function rootSchema(): JsonSchema {
  const schema = hermesAgentCrd().spec.versions[0]?.schema.openAPIV3Schema;
  if (schema === undefined) throw new Error('the CRD has no version');
  return schema;
}

/** Every field path of the spec, the spec itself included. */
export function specSites(): readonly SchemaSite[] {
  const spec = rootSchema().properties?.['spec'];
  if (spec === undefined) throw new Error('the CRD has no spec');
  return [...sitesBelow({ path: ['spec'], schema: spec })];
}

/** Every CEL rule of the CRD. */
export function celRules(): readonly CelRule[] {
  return [{ path: [], schema: rootSchema() }, ...specSites()].flatMap(
    ({ schema }) => schema['x-kubernetes-validations'] ?? [],
  );
}

/** A path as a line of a report. */
export function siteName(path: readonly string[]): string {
  return path.join('.').replaceAll(`.${ITEM}`, ITEM).replaceAll(`.${VALUE}`, VALUE);
}

function* sitesBelow(site: SchemaSite): Generator<SchemaSite> {
  yield site;
  const { path, schema } = site;
  for (const [name, sub] of Object.entries(schema.properties ?? {})) {
    yield* sitesBelow({ path: [...path, name], schema: sub });
  }
  if (schema.items !== undefined) yield* sitesBelow({ path: [...path, ITEM], schema: schema.items });
  if (schema.additionalProperties !== undefined) {
    yield* sitesBelow({ path: [...path, VALUE], schema: schema.additionalProperties });
  }
}
