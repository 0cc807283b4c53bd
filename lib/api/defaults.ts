import { isObject, setOwn } from './canonical-json.js';
import type { JsonSchema } from './json-schema.js';
import { AGENT_SPEC_SCHEMA, defaultOf, fieldSchema, followRef, type NamedSchema } from './schema-access.js';

/**
 * A copy of `value` as the API server stores it: nulls that the schema does not allow are gone or replaced by their
 * default, and every absent field that has a default is filled in.
 */
export function applyDefaults(value: unknown, schema: JsonSchema = AGENT_SPEC_SCHEMA): unknown {
  return filled(value, schema);
}

function filled(value: unknown, unresolved: JsonSchema | undefined): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const named = unresolved && followRef(unresolved);
  if (Array.isArray(value)) return value.map((item) => filled(item, named?.schema.items));
  return isObject(value) ? filledObject(value, named) : value;
}

function filledObject(value: Readonly<Record<string, unknown>>, named: NamedSchema | undefined): object {
  const result = {};
  for (const [key, field] of Object.entries(value)) {
    const sub = fieldSchema(named?.schema, key);
    // A null of a field that the schema does not know stays, so that it is reported as unknown and not lost.
    if (field === undefined || (field === null && sub !== undefined)) continue;
    setOwn(result, key, filled(field, sub));
  }
  for (const [key, sub] of named?.defaulted ?? []) {
    if (!Object.hasOwn(result, key)) setOwn(result, key, filled(defaultOf(sub), sub));
  }
  return result;
}
