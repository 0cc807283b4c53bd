import { isObject } from '../api/canonical-json.js';
import type { JsonSchema } from '../api/json-schema.js';
import { canonicalQuantity } from '../api/quantity.js';
import { isQuantitySchema } from '../api/schema-access.js';
import { nearest } from './nearest.js';
import type { PathSegment, Problem } from './problem.js';
import type { DuplicateItem, SourceText, Violation } from './structure.js';

interface Said {
  readonly rule: string;
  readonly message: string;
  readonly hint: string;
  /** Where the path goes on below the value that was checked. */
  readonly below?: PathSegment;
}

/** Says in words what a violation of the schema is, and what to write instead. */
export function structuralProblem(violation: Violation, sourceText?: SourceText): Problem {
  const { rule, message, hint, below } = describe(violation, sourceText);
  const path = below === undefined ? violation.path : [...violation.path, below];
  return { severity: 'error', rule, path, message, hint };
}

type Sayer = (violation: Violation, sourceText?: SourceText) => Said;

/** By the keyword of the schema that is violated. */
const SAYERS: Readonly<Record<string, Sayer>> = {
  additionalProperties: ({ params, schema }) => unknownField(String(params['additionalProperty']), schema),
  required: ({ params, schema }) => requiredField(String(params['missingProperty']), schema),
  type: (violation, sourceText) => wrongType(violation, sourceText?.(violation.path)),
  enum: ({ value, schema }) => notInEnum(value, schema),
  pattern: ({ value, schema }) => (isQuantitySchema(schema) ? badQuantity(value) : badPattern(value, schema)),
  listMapKeys: ({ params, value }) => duplicateItem(params as unknown as DuplicateItem, value),
  format: ({ params, value }) => badFormat(String(params['format']), value),
  minLength: () => outOfBounds('must not be empty', 'write a value, or leave the field out'),
  maxLength: ({ params }) => outOfBounds(`is longer than ${String(params['limit'])} characters`, 'shorten it'),
  maxItems: ({ params }) => outOfBounds(`has more than ${String(params['limit'])} items`, 'remove some'),
  minimum: ({ params }) =>
    outOfBounds(`has to be at least ${String(params['limit'])}`, `write ${String(params['limit'])} or more`),
  maximum: ({ params }) =>
    outOfBounds(`has to be at most ${String(params['limit'])}`, `write ${String(params['limit'])} or less`),
  uniqueItems: ({ params }) => ({
    rule: 'DuplicateItem',
    message: `items ${String(params['j'])} and ${String(params['i'])} are the same`,
    hint: 'remove one of the two',
  }),
};

function describe(violation: Violation, sourceText?: SourceText): Said {
  const say = SAYERS[violation.keyword];
  return say?.(violation, sourceText) ?? outOfBounds(`does not fit the schema: ${violation.keyword}`, 'see the schema');
}

function unknownField(name: string, schema: JsonSchema): Said {
  const known = Object.keys(schema.properties ?? {});
  const guess = nearest(name, known);
  const listing = known.length <= 12 ? `known fields are ${known.join(', ')}` : 'remove it';
  const hint = guess === undefined ? listing : `did you mean ${guess}?`;
  return { rule: 'UnknownField', message: `${name} is no known field`, hint, below: name };
}

function requiredField(name: string, schema: JsonSchema): Said {
  const sub = schema.properties?.[name];
  const example = sub?.type === 'string' ? `${name}: …` : `${name}:`;
  return { rule: 'Required', message: 'is required', hint: `add ${example}`, below: name };
}

function wrongType({ value, schema }: Violation, source: string | undefined): Said {
  const wanted = schema.type ?? 'integer or string';
  if (isQuantitySchema(schema) && typeof value === 'number') {
    const hint = `write "${canonicalQuantity(value) ?? String(value)}"`;
    return { rule: 'QuantityForm', message: 'a bare decimal is no quantity', hint };
  }
  if (wanted === 'string' && (typeof value === 'number' || typeof value === 'boolean')) {
    const written = source ?? String(value);
    const message = `${written} is a ${typeof value}, and a string is needed`;
    return { rule: 'QuotedValue', message, hint: `write ${JSON.stringify(written)}` };
  }
  const message = `has to be ${article(wanted)}, not ${describeValue(value)}`;
  return { rule: 'WrongType', message, hint: typeHint(value, schema) };
}

const TYPE_HINTS: Readonly<Record<string, (value: unknown, schema: JsonSchema) => string>> = {
  object: (value, schema) => {
    const fields = schema.required ?? Object.keys(schema.properties ?? {});
    return typeof value === 'string' && fields.length === 1
      ? `write {${fields.join()}: ${value}}`
      : 'write a map of fields';
  },
  array: (value) =>
    typeof value === 'string' || typeof value === 'number' ? `write [${value}]` : 'write a list, each item after "- "',
  boolean: () => 'write true or false, without quotes',
  integer: wholeNumber,
  number: wholeNumber,
};

function typeHint(value: unknown, schema: JsonSchema): string {
  return TYPE_HINTS[schema.type ?? '']?.(value, schema) ?? 'write a single value';
}

function wholeNumber(value: unknown): string {
  return typeof value === 'string' && /^-?\d+$/.test(value) ? `write ${value}, without quotes` : 'write a whole number';
}

function notInEnum(value: unknown, schema: JsonSchema): Said {
  const allowed = (schema.enum ?? []).map(String);
  const guess = typeof value === 'string' ? nearest(value, allowed) : undefined;
  const message = `${describeValue(value)} is not one of ${allowed.join(', ')}`;
  return {
    rule: 'NotAllowedValue',
    message,
    hint: guess === undefined ? `write one of ${allowed.join(', ')}` : `did you mean ${guess}?`,
  };
}

function badQuantity(value: unknown): Said {
  const guess = quantityGuess(String(value));
  const hint = guess === undefined ? 'write a number with a suffix, for example 500m or 2Gi' : `write ${guess}`;
  return { rule: 'QuantityForm', message: `${describeValue(value)} is no quantity`, hint };
}

/** `1 Gi`, `1GB`, `1gb`, `500 MB`, `1,5Gi`: what people write for what Kubernetes reads. */
function quantityGuess(text: string): string | undefined {
  const match = /^\s*([+-]?[\d.,]+)\s*([a-zA-Z]*)\s*$/.exec(text);
  if (match === null) return undefined;
  const [, number = '', unit = ''] = match;
  const guess = number.replace(',', '.') + suffixGuess(unit.replace(/b(ytes?)?$/i, ''));
  return canonicalQuantity(guess) === undefined ? undefined : guess;
}

function suffixGuess(unit: string): string {
  if (/^[kmgtpe]i$/i.test(unit)) return `${unit.charAt(0).toUpperCase()}i`;
  if (/^[gtpe]$/i.test(unit)) return unit.toUpperCase();
  return unit === 'K' ? 'k' : unit;
}

function badPattern(value: unknown, schema: JsonSchema): Said {
  return {
    rule: 'BadFormat',
    message: `${describeValue(value)} does not match ${schema.pattern ?? ''}`,
    hint:
      schema.pattern?.startsWith('^[a-z0-9]') === true ? "write lower-case letters, digits and '-'" : 'see the pattern',
  };
}

function duplicateItem({ keys, first, second }: DuplicateItem, value: unknown): Said {
  const item = Array.isArray(value) ? (value[second] as unknown) : undefined;
  const identity = keys.map((key) => `${key} ${describeValue(isObject(item) ? item[key] : undefined)}`).join(' and ');
  const message = `${identity} is already there in item ${first}`;
  return { rule: 'DuplicateItem', message, hint: 'remove one of the two', below: second };
}

function badFormat(format: string, value: unknown): Said {
  if (format === 'int64' && typeof value === 'number' && Math.abs(value) < 2 ** 63) {
    const message = `${value} is beyond 2^53, where readers of YAML round differently`;
    return { rule: 'AmbiguousScalar', message, hint: 'write a smaller number' };
  }
  const hint = format.startsWith('int') ? 'write a smaller number' : `write a ${format}`;
  return { rule: 'BadFormat', message: `${describeValue(value)} is no ${format}`, hint };
}

function outOfBounds(message: string, hint: string): Said {
  return { rule: 'OutOfBounds', message, hint };
}

function article(type: string): string {
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

/** A value as a message names it; what is large is only named by its kind. */
export function describeValue(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a map';
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 77)}…"` : text;
}
