import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';

import { isObject } from '../api/canonical-json.js';
import { NATIVE_SCHEMAS } from '../api/generated/native-schemas.js';
import { mapSubschemas, type JsonSchema } from '../api/json-schema.js';
import { AGENT_SPEC_SCHEMA } from '../api/schema-access.js';
import { duplicateKeys } from './list-map.js';
import type { PathSegment, Problem } from './problem.js';
import { structuralProblem } from './structure-messages.js';

/** One violation of the schema, with the schema and the value that it concerns. */
export interface Violation {
  readonly path: readonly PathSegment[];
  /** The keyword of the schema that is violated, and what the validator says of it. */
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly schema: JsonSchema;
  readonly value: unknown;
}

/** Two items of a list that have their keys in common. */
export interface DuplicateItem {
  readonly keys: readonly string[];
  readonly first: number;
  readonly second: number;
}

/** The text of a plain scalar as its author wrote it, when the object came from a file. */
export type SourceText = (path: readonly PathSegment[]) => string | undefined;

/** Checks `spec` against the schema of the CRD and names everything that the API server would refuse. */
export function structuralProblems(spec: unknown, sourceText?: SourceText): readonly Problem[] {
  const validate = specValidator();
  if (validate(spec)) return [];
  return (validate.errors ?? []).map((error) => {
    const path = ['spec', ...pathOf(error.instancePath, spec)];
    const schema = (error.parentSchema ?? {}) as JsonSchema;
    const { keyword, params, data: value } = error;
    return structuralProblem({ path, keyword, params, schema, value }, sourceText);
  });
}

let compiled: ValidateFunction | undefined;

/** Compiled when first needed: it takes longer than all the rest of a small render. */
function specValidator(): ValidateFunction {
  compiled ??= newAjv().compile({
    ...forAjv(AGENT_SPEC_SCHEMA),
    $defs: Object.fromEntries(Object.entries(NATIVE_SCHEMAS).map(([name, schema]) => [name, forAjv(schema)])),
  });
  return compiled;
}

function newAjv(): Ajv {
  const ajv = new Ajv({ allErrors: true, verbose: true, strict: false, ownProperties: true, formats: FORMATS });
  ajv.addKeyword({
    keyword: 'listMapKeys',
    type: 'array',
    schemaType: 'array',
    errors: 'full',
    validate: uniqueByKeys,
  });
  return ajv;
}

const FORMATS = {
  int32: { type: 'number', validate: (value: number) => Math.abs(value + 0.5) < 2 ** 31 },
  int64: { type: 'number', validate: (value: number) => Number.isSafeInteger(value) },
  double: true,
  byte: /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
  'date-time': (text: string) => /^\d{4}-\d\d-\d\dT/i.test(text) && !Number.isNaN(Date.parse(text)),
} as const;

/** Spells the Kubernetes extensions out in plain JSON Schema, and closes objects: unknown fields are errors. */
function forAjv(schema: JsonSchema): Record<string, unknown> {
  const sub = mapSubschemas(schema, (child) => forAjv(child));
  const result: Record<string, unknown> = { ...sub };
  const keys = schema['x-kubernetes-list-map-keys'];
  if (schema['x-kubernetes-int-or-string'] === true) {
    delete result['anyOf'];
    result['type'] = ['integer', 'string'];
  }
  if (keys !== undefined) result['listMapKeys'] = keys;
  if (schema['x-kubernetes-list-type'] === 'set') result['uniqueItems'] = true;
  if (schema.properties !== undefined && schema.additionalProperties === undefined) {
    result['additionalProperties'] = false;
  }
  return result;
}

interface ErrorCarrier {
  (keys: readonly string[], items: readonly unknown[]): boolean;
  errors?: Partial<ErrorObject>[];
}

const uniqueByKeys: ErrorCarrier = (keys, items) => {
  const errors = duplicateKeys(items, keys).map(([first, second]) => ({
    keyword: 'listMapKeys',
    params: { keys, first, second },
  }));
  uniqueByKeys.errors = errors;
  return errors.length === 0;
};

/** Steps of a JSON pointer; digits are an index only where the value is a list. */
function pathOf(pointer: string, root: unknown): PathSegment[] {
  let value = root;
  return pointer
    .split('/')
    .slice(1)
    .map((token) => {
      const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
      const segment = Array.isArray(value) ? Number(key) : key;
      value = Array.isArray(value) ? (value as unknown[])[Number(key)] : isObject(value) ? value[key] : undefined;
      return segment;
    });
}
