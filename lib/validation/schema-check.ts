import { isObject } from '../api/canonical-json.js';
import type { JsonSchema } from '../api/json-schema.js';
import { fieldSchema, followRef } from '../api/schema-access.js';
import { duplicateKeys } from './list-map.js';
import type { PathSegment } from './problem.js';

/** One violation of the schema, with the schema and the value that it concerns. */
export interface Violation {
  readonly path: readonly PathSegment[];
  /** What is violated: a keyword of the schema, or `listMapKeys` for its Kubernetes extension. */
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly schema: JsonSchema;
  readonly value: unknown;
}

/**
 * Everything in `value` that does not fit `schema`, unknown fields included. Walks the schema as it stands instead of
 * compiling it: a structural schema knows few keywords, and to compile all of it takes longer than a small render.
 */
export function schemaViolations(value: unknown, schema: JsonSchema): readonly Violation[] {
  const check = new SchemaCheck();
  check.visit(value, schema);
  return check.violations;
}

type Params = Violation['params'];

class SchemaCheck {
  readonly violations: Violation[] = [];
  /** Where the walk is; copied only into violations, which are rare. */
  private readonly path: PathSegment[] = [];

  visit(value: unknown, unresolved: JsonSchema): void {
    const { schema } = followRef(unresolved);
    const report = (keyword: string, params: Params): void => {
      this.violations.push({ path: [...this.path], keyword, params, schema, value });
    };
    if (!hasType(value, schema)) report('type', {});
    else if (typeof value === 'string') checkString(value, schema, report);
    else if (typeof value === 'number') checkNumber(value, schema, report);
    else if (Array.isArray(value)) this.visitList(value, schema, report);
    else if (isObject(value)) this.visitMap(value, schema, report);
    if (schema.enum?.includes(value) === false) report('enum', {});
  }

  private visitMap(value: Readonly<Record<string, unknown>>, schema: JsonSchema, report: Report): void {
    for (const name of schema.required ?? []) {
      if (!Object.hasOwn(value, name) || value[name] === undefined) report('required', { missingProperty: name });
    }
    const isClosed = schema.properties !== undefined;
    for (const key of Object.keys(value)) {
      const sub = fieldSchema(schema, key);
      if (sub !== undefined) this.visitBelow(key, value[key], sub);
      else if (isClosed) report('additionalProperties', { additionalProperty: key });
    }
  }

  private visitList(value: readonly unknown[], schema: JsonSchema, report: Report): void {
    const { items, maxItems, 'x-kubernetes-list-map-keys': keys } = schema;
    if (maxItems !== undefined && value.length > maxItems) report('maxItems', { limit: maxItems });
    if (schema['x-kubernetes-list-type'] === 'set') checkSet(value, report);
    if (items !== undefined) {
      value.forEach((item, index) => {
        this.visitBelow(index, item, items);
      });
    }
    if (keys === undefined) return;
    for (const [first, second] of duplicateKeys(value, keys)) report('listMapKeys', { keys, first, second });
  }

  private visitBelow(segment: PathSegment, value: unknown, schema: JsonSchema): void {
    // Like a field that is not there: JSON has no undefined.
    if (value === undefined && typeof segment === 'string') return;
    this.path.push(segment);
    this.visit(value, schema);
    this.path.pop();
  }
}

type Report = (keyword: string, params: Params) => void;

const HAS_TYPE: Readonly<Record<NonNullable<JsonSchema['type']>, (value: unknown) => boolean>> = {
  object: isObject,
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  integer: Number.isInteger,
  number: Number.isFinite,
};

function hasType(value: unknown, schema: JsonSchema): boolean {
  if (schema['x-kubernetes-int-or-string'] === true) return typeof value === 'string' || Number.isInteger(value);
  return schema.type === undefined || HAS_TYPE[schema.type](value);
}

function checkString(value: string, { minLength, maxLength, pattern }: JsonSchema, report: Report): void {
  if (minLength !== undefined && lengthOf(value) < minLength) report('minLength', { limit: minLength });
  if (maxLength !== undefined && lengthOf(value) > maxLength) report('maxLength', { limit: maxLength });
  if (pattern !== undefined && !patternOf(pattern).test(value)) report('pattern', { pattern });
}

/** In characters, as the API server counts, and not in halves of surrogate pairs. */
function lengthOf(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}

const patterns = new Map<string, RegExp>();

function patternOf(source: string): RegExp {
  const known = patterns.get(source);
  if (known !== undefined) return known;
  const pattern = new RegExp(source, 'u');
  patterns.set(source, pattern);
  return pattern;
}

const FITS_FORMAT: Readonly<Record<string, (value: number) => boolean>> = {
  int32: (value) => value >= -(2 ** 31) && value < 2 ** 31,
  int64: Number.isSafeInteger,
};

function checkNumber(value: number, { minimum, maximum, format }: JsonSchema, report: Report): void {
  if (minimum !== undefined && value < minimum) report('minimum', { limit: minimum });
  if (maximum !== undefined && value > maximum) report('maximum', { limit: maximum });
  if (format !== undefined && FITS_FORMAT[format]?.(value) === false) report('format', { format });
}

function checkSet(items: readonly unknown[], report: Report): void {
  const first = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    const identity = JSON.stringify(item);
    const earlier = first.get(identity);
    if (earlier !== undefined) report('uniqueItems', { j: earlier, i: index });
    else first.set(identity, index);
  }
}
