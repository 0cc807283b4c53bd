import fc from 'fast-check';

import { isObject } from '../../../lib/api/canonical-json.js';
import type { JsonSchema } from '../../../lib/api/json-schema.js';
import { isQuantitySchema } from '../../../lib/api/schema-access.js';
import { anyText, plainText } from './strings.js';
import { ABSENT } from './tree.js';

/** A value to put in the place of another, {@link ABSENT} included. */
export type Replacement = unknown;

const QUANTITIES: readonly Replacement[] = ['0.5', '1024Mi', '1e3', '1.5Gi', 1, '100m', '0', '1000m', '+1', '1.', '.5'];
const NO_QUANTITIES: readonly Replacement[] = [0.5, '1 Gi', '1GB', '-1', '', '1e', 'Gi', '1,5', true, -1, '1KI', null];
const INTEGERS = [0, 1, -1, 2, 30, 31, 100, 101, 511, 512, 599, 600, 65535, 65536, 2147483647, 2147483648, -2147483648];

/** Values that are most likely valid where `value` is. */
export function fittingValues(value: unknown, schema: JsonSchema): readonly Replacement[] {
  return [ABSENT, value, null, ...fittingByType(value, schema)];
}

function fittingByType(value: unknown, schema: JsonSchema): readonly Replacement[] {
  if (isQuantitySchema(schema)) return QUANTITIES;
  if (schema.enum !== undefined) return [...schema.enum, ...schema.enum];
  if (typeof value === 'string')
    return ['', `${value}a`, `a${value}`, value.slice(0, -1), value.replace(/\d/g, '1'), 'a'];
  if (typeof value === 'number') return [value + 1, value - 1, Math.max(schema.minimum ?? 1, 1), value * 2, 1, 2];
  if (typeof value === 'boolean') return [!value, value, false];
  if (Array.isArray(value)) return [[], value.slice(1), [...(value as unknown[])].reverse(), value.slice(0, 1)];
  return isObject(value) ? fittingObjects(value, schema) : [];
}

function fittingObjects(value: Readonly<Record<string, unknown>>, schema: JsonSchema): readonly Replacement[] {
  const optional = Object.keys(value).filter((key) => schema.required?.includes(key) !== true);
  const without = optional.map((key) => Object.fromEntries(Object.entries(value).filter(([other]) => other !== key)));
  const [first] = optional;
  const isMap = schema.additionalProperties !== undefined;
  return [
    ...without.slice(0, 3),
    ...(first === undefined ? [] : [{ ...value, [first]: null }]),
    ...(isMap ? [{ ...value, 'example.net/more': Object.values(value)[0] ?? 'a' }] : []),
    {},
  ];
}

/** Values that the schema refuses, or that a limit lies at. */
export function unfittingValues(value: unknown, schema: JsonSchema): readonly Replacement[] {
  return [...unfittingByType(value, schema), ...wrongTypes(schema)];
}

function unfittingByType(value: unknown, schema: JsonSchema): readonly Replacement[] {
  if (isQuantitySchema(schema)) return NO_QUANTITIES;
  const { enum: allowed, minimum, maxLength, maxItems } = schema;
  return [
    ...(allowed === undefined ? [] : ['Nonsense', String(allowed.at(-1)).toLowerCase()]),
    ...(minimum === undefined ? [] : [minimum - 1, minimum]),
    ...(maxLength === undefined ? [] : ['a'.repeat(maxLength), 'a'.repeat(maxLength + 1), '']),
    ...(schema.format === 'int32' ? [2147483647, 2147483648, -2147483649] : []),
    ...(schema.format === 'int64' ? [2 ** 53, -1, 1e21] : []),
    ...(Array.isArray(value) ? unfittingLists(value as readonly unknown[], maxItems) : []),
    ...(isObject(value) ? unfittingObjects(value, schema) : []),
  ];
}

function unfittingLists(value: readonly unknown[], maxItems: number | undefined): readonly Replacement[] {
  const item = value[0];
  return [
    [...value, item],
    [null, ...value],
    ...(maxItems !== undefined && maxItems <= 64 ? [Array.from({ length: maxItems + 1 }, () => item)] : []),
  ];
}

function unfittingObjects(value: Readonly<Record<string, unknown>>, schema: JsonSchema): readonly Replacement[] {
  if (schema.additionalProperties !== undefined) {
    const [held] = Object.values(value);
    return [
      { ...value, 'a b': held },
      { ...value, '': held },
      { ...value, more: 1 },
      { ...value, ['a'.repeat(64)]: held },
    ];
  }
  const [required] = schema.required ?? [];
  return [
    { ...value, nonsense: 1 },
    ...(required === undefined ? [] : [Object.fromEntries(Object.entries(value).filter(([key]) => key !== required))]),
    ...(required === undefined ? [] : [{ ...value, [required]: null }]),
  ];
}

function wrongTypes(schema: JsonSchema): readonly Replacement[] {
  const all: readonly [string, Replacement][] = [
    ['string', 'text'],
    ['integer', 1],
    ['number', 0.5],
    ['boolean', true],
    ['array', []],
    ['object', {}],
    ['array', ['a']],
    ['object', { a: 1 }],
    ['string', '1'],
  ];
  return all.filter(([type]) => type !== schema.type).map(([, wrong]) => wrong);
}

/** Any value of the right type. */
export function generatedValues(value: unknown, schema: JsonSchema): fc.Arbitrary<Replacement> {
  if (isQuantitySchema(schema)) return fc.constantFrom(...QUANTITIES, ...NO_QUANTITIES);
  if (schema.enum !== undefined) return fc.constantFrom<Replacement>(...schema.enum, ABSENT, '');
  if (schema['x-kubernetes-int-or-string'] === true) return fc.oneof(fc.constantFrom(...INTEGERS), anyText);
  return BY_TYPE[schema.type ?? 'object']?.(value, schema) ?? fc.constant(value);
}

const anyInteger = fc.oneof(fc.constantFrom(...INTEGERS), fc.integer({ min: 1, max: 1000 }));

const BY_TYPE: Readonly<Record<string, (value: unknown, schema: JsonSchema) => fc.Arbitrary<Replacement>>> = {
  string: () => fc.oneof(anyText, anyText, plainText),
  integer: () => anyInteger,
  number: () => anyInteger,
  boolean: () => fc.constantFrom<Replacement>(true, false, ABSENT),
  array: (value) => fc.subarray((value ?? []) as unknown[]).chain((kept) => fc.shuffledSubarray(kept)),
  object: (value, schema) => (schema.additionalProperties === undefined ? parts(value) : maps(value)),
};

/** Some of the fields of an object. */
function parts(value: unknown): fc.Arbitrary<Replacement> {
  return fc.subarray(Object.entries(value ?? {})).map((entries) => Object.fromEntries(entries) as unknown);
}

function maps(value: unknown): fc.Arbitrary<Replacement> {
  const held: unknown = Object.values(value ?? {})[0];
  const item = typeof held === 'string' && Number.isNaN(Number.parseInt(held, 10)) ? anyText : fc.constant(held);
  return fc.dictionary(fc.oneof(anyText, plainText), item, { minKeys: 1, maxKeys: 2, noNullPrototype: true });
}
