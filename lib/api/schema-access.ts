import { NATIVE_SCHEMAS } from './generated/native-schemas.js';
import { agentRunSpecSchema } from './agent-run-schema.js';
import { hermesAgentSpecSchema } from './hermes-agent-schema.js';
import type { JsonSchema } from './json-schema.js';
import { QUANTITY_SCHEMA } from './quantity-schema.js';

const REF_PREFIX = '#/$defs/';

/** A schema with its `$ref` followed, and the name of the native type that the `$ref` named. */
export interface NamedSchema {
  readonly schema: JsonSchema;
  readonly typeName?: string;
  /** The fields that the schema fills in, so that no walk has to look through all the others. */
  readonly defaulted: readonly (readonly [string, JsonSchema])[];
}

const followed = new WeakMap<JsonSchema, NamedSchema>();

/** Follows the `$ref` of a schema. Answers are kept, because every walk over a value asks at every step. */
export function followRef(schema: JsonSchema): NamedSchema {
  const known = followed.get(schema);
  if (known !== undefined) return known;
  const { $ref, ...own } = schema;
  const typeName = $ref?.slice(REF_PREFIX.length);
  const target = typeName === undefined ? schema : { ...NATIVE_SCHEMAS[typeName], ...own };
  const defaulted = Object.entries(target.properties ?? {}).filter(([, sub]) => defaultOf(sub) !== undefined);
  const result = { schema: target, defaulted, ...(typeName !== undefined && { typeName }) };
  followed.set(schema, result);
  return result;
}

/** The default of a field; one beside a `$ref` wins over that of the type. */
export function defaultOf(schema: JsonSchema): unknown {
  return (
    schema.default ??
    (schema.$ref === undefined ? undefined : NATIVE_SCHEMAS[schema.$ref.slice(REF_PREFIX.length)]?.default)
  );
}

/** The schema of the field `key`: a property of its own, or that of the values of a map. */
export function fieldSchema(schema: JsonSchema | undefined, key: string): JsonSchema | undefined {
  if (schema === undefined) return undefined;
  const { properties, additionalProperties } = schema;
  return properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
}

/** Whether values of `schema` are Kubernetes quantities. */
export function isQuantitySchema(schema: JsonSchema): boolean {
  return schema['x-kubernetes-int-or-string'] === true && schema.pattern === QUANTITY_SCHEMA.pattern;
}

/** The spec of a HermesAgent. */
export const AGENT_SPEC_SCHEMA: JsonSchema = hermesAgentSpecSchema;

/** The spec of an AgentRun. */
export const RUN_SPEC_SCHEMA: JsonSchema = agentRunSpecSchema;
