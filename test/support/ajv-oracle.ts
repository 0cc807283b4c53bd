import { Ajv } from 'ajv';

import { NATIVE_SCHEMAS } from '../../lib/api/generated/native-schemas.js';
import { mapSubschemas, type JsonSchema } from '../../lib/api/json-schema.js';
import { AGENT_SPEC_SCHEMA } from '../../lib/api/schema-access.js';

/**
 * The JSON pointers and keywords that a general validator of JSON Schema complains of, sorted. Of a number that is no
 * whole one it also says that it is too small or does not fit: that is left out, since nobody can write a better one.
 */
export function ajvComplaints(spec: unknown): readonly string[] {
  validate(spec);
  const errors = validate.errors ?? [];
  const mistyped = new Set(errors.filter(({ keyword }) => keyword === 'type').map(({ instancePath }) => instancePath));
  return errors
    .filter(({ instancePath, keyword }) => !mistyped.has(instancePath) || !NUMERIC.has(keyword))
    .map(({ instancePath, keyword }) => `${instancePath} ${keyword}`)
    .sort();
}

const NUMERIC = new Set(['minimum', 'maximum', 'format']);

const ajv = new Ajv({
  allErrors: true,
  strict: false,
  ownProperties: true,
  formats: {
    int32: { type: 'number', validate: (value: number) => Math.abs(value + 0.5) < 2 ** 31 },
    int64: { type: 'number', validate: (value: number) => Number.isSafeInteger(value) },
  },
});

const validate = ajv.compile({
  ...forAjv(AGENT_SPEC_SCHEMA),
  $defs: Object.fromEntries(Object.entries(NATIVE_SCHEMAS).map(([name, schema]) => [name, forAjv(schema)])),
});

/** Spells the Kubernetes extensions out in plain JSON Schema, lists with keys apart, which it has no word for. */
function forAjv(schema: JsonSchema): Record<string, unknown> {
  const result: Record<string, unknown> = { ...mapSubschemas(schema, (child) => forAjv(child)) };
  if (schema['x-kubernetes-int-or-string'] === true) {
    delete result['anyOf'];
    result['type'] = ['integer', 'string'];
  }
  if (schema['x-kubernetes-list-type'] === 'set') result['uniqueItems'] = true;
  if (schema.properties !== undefined && schema.additionalProperties === undefined) {
    result['additionalProperties'] = false;
  }
  return result;
}
