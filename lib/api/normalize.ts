import { canonicalJson, isObject, setOwn } from './canonical-json.js';
import type { JsonSchema } from './json-schema.js';
import { canonicalQuantity, canonicalResourceAmount } from './quantity.js';
import { AGENT_SPEC_SCHEMA, fieldSchema, followRef, isQuantitySchema } from './schema-access.js';

/** Native types for which an empty object says the same as none. For all others the difference may count: `emptyDir: {}`. */
const MEANINGLESS_WHEN_EMPTY = new Set([
  'Affinity',
  'Capabilities',
  'NodeAffinity',
  'PersistentVolumeClaimSpec',
  'PodAffinity',
  'PodAntiAffinity',
  'PodDNSConfig',
  'PodSecurityContext',
  'ResourceRequirements',
  'SecurityContext',
  'VolumeResourceRequirements',
]);

/** Lists of rules in which an empty list, an absent one and a list of one empty rule are three things. */
const EMPTY_COUNTS_BELOW = new Set(['networkPolicy']);

interface Mode {
  /** Also leave out what the schema would fill in. */
  readonly withoutDefaults: boolean;
  readonly keepsEmpty: boolean;
}

/**
 * The canonical form of a valid spec: nulls and empty maps and lists that mean nothing are gone, quantities are written
 * as Kubernetes writes them. What the spec means stays the same, and normalising it again changes nothing.
 */
export function normalizeSpec(spec: unknown, schema: JsonSchema = AGENT_SPEC_SCHEMA): unknown {
  return canonical(spec, schema, { withoutDefaults: false, keepsEmpty: false });
}

/** {@link normalizeSpec} without every value that equals its default, so that a new default changes nothing. */
export function normalizeWithoutDefaults(spec: unknown, schema: JsonSchema = AGENT_SPEC_SCHEMA): unknown {
  return canonical(spec, schema, { withoutDefaults: true, keepsEmpty: false });
}

function canonical(value: unknown, unresolved: JsonSchema | undefined, mode: Mode): unknown {
  if (unresolved === undefined) return value;
  const { schema } = followRef(unresolved);
  if (Array.isArray(value)) return value.map((item) => canonical(item, schema.items, mode));
  if (isObject(value)) return canonicalObject(value, schema, mode);
  if (isQuantitySchema(schema) && (typeof value === 'string' || typeof value === 'number')) {
    return canonicalQuantity(value) ?? value;
  }
  return value;
}

function canonicalObject(value: Readonly<Record<string, unknown>>, schema: JsonSchema, mode: Mode): object {
  const result = {};
  for (const [key, field] of Object.entries(value)) {
    if (field === null || field === undefined) continue;
    const sub = fieldSchema(schema, key);
    const subMode = mode.keepsEmpty || !EMPTY_COUNTS_BELOW.has(key) ? mode : { ...mode, keepsEmpty: true };
    const kept = canonicalField(field, sub, subMode);
    // A required field has to stay, or the result would not validate any more.
    const isRequired = schema.required?.includes(key) ?? false;
    if (!isRequired && sub !== undefined && saysNothing(kept, sub, mode)) continue;
    setOwn(result, key, kept);
  }
  return result;
}

/** A map of quantities is a list of resources, whose amounts the API server rounds up when it stores a child. */
function canonicalField(field: unknown, sub: JsonSchema | undefined, mode: Mode): unknown {
  const valueSchema = sub && followRef(sub).schema.additionalProperties;
  if (valueSchema === undefined || !isQuantitySchema(followRef(valueSchema).schema) || !isObject(field)) {
    return canonical(field, sub, mode);
  }
  const amounts = {};
  for (const [name, amount] of Object.entries(field)) {
    if (amount === null || amount === undefined) continue;
    setOwn(amounts, name, canonicalResourceAmount(amount as string | number) ?? amount);
  }
  return amounts;
}

function saysNothing(value: unknown, sub: JsonSchema, mode: Mode): boolean {
  const { schema, typeName } = followRef(sub);
  if (mode.withoutDefaults && schema.default !== undefined && equalsDefault(value, schema, mode)) return true;
  if (Array.isArray(value)) return value.length === 0 && !mode.keepsEmpty;
  if (!isObject(value) || Object.keys(value).length > 0) return false;
  // Objects of our own and plain maps have no type name.
  return !mode.keepsEmpty && (typeName === undefined || MEANINGLESS_WHEN_EMPTY.has(typeName));
}

function equalsDefault(value: unknown, schema: JsonSchema, mode: Mode): boolean {
  return canonicalJson(value) === canonicalJson(canonical(schema.default, schema, mode));
}
