import { describe, expect, it } from 'vitest';

import { mapSubschemas, type JsonSchema } from '../../../../lib/api/json-schema.js';
import { QUANTITY_SCHEMA } from '../../../../lib/api/quantity-schema.js';
import { AGENT_SPEC_SCHEMA, followRef } from '../../../../lib/api/schema-access.js';
import { formatPath } from '../../../../lib/validation/problem.js';
import { schemaViolations } from '../../../../lib/validation/schema-check.js';
import { ajvComplaints } from '../../../support/ajv-oracle.js';
import { fieldGroups } from '../../../support/mutations/field-groups.js';

interface Row {
  readonly says: string;
  readonly schema: JsonSchema;
  readonly value: unknown;
  /** `path keyword params` of each violation. */
  readonly want: readonly string[];
}

const closed: JsonSchema = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string' }, size: { type: 'integer' } },
};
const keyed: JsonSchema = { type: 'array', items: closed, 'x-kubernetes-list-map-keys': ['name'] };

const rows: readonly Row[] = [
  { says: 'takes what fits', schema: closed, value: { name: 'a', size: 1 }, want: [] },
  {
    says: 'names an unknown field',
    schema: closed,
    value: { name: 'a', sise: 1 },
    want: [' additionalProperties sise'],
  },
  { says: 'names a missing field', schema: closed, value: {}, want: [' required name'] },
  {
    says: 'takes an undefined field for a missing one',
    schema: closed,
    value: { name: undefined },
    want: [' required name'],
  },
  {
    says: 'takes no inherited field for a given one',
    schema: closed,
    value: Object.create({ name: 'a' }),
    want: [' required name'],
  },
  { says: 'leaves an open map open', schema: { type: 'object' }, value: { any: 1 }, want: [] },
  {
    says: 'checks the values of a map',
    schema: { type: 'object', additionalProperties: { type: 'string' } },
    value: { a: 'x', b: 2 },
    want: ['b type '],
  },
  { says: 'takes no list for a map', schema: closed, value: [], want: [' type '] },
  { says: 'takes no null for a map', schema: closed, value: null, want: [' type '] },
  { says: 'takes no fraction for a whole number', schema: { type: 'integer' }, value: 1.5, want: [' type '] },
  { says: 'takes a fraction for a number', schema: { type: 'number' }, value: 1.5, want: [] },
  { says: 'takes no word for a truth value', schema: { type: 'boolean' }, value: 'true', want: [' type '] },
  { says: 'takes a quantity as text', schema: QUANTITY_SCHEMA, value: '1.5Gi', want: [] },
  { says: 'takes a quantity as a whole number', schema: QUANTITY_SCHEMA, value: 2, want: [] },
  { says: 'takes no bare fraction for a quantity', schema: QUANTITY_SCHEMA, value: 0.5, want: [' type '] },
  {
    says: 'holds text to its pattern',
    schema: QUANTITY_SCHEMA,
    value: '1 Gi',
    want: [` pattern ${QUANTITY_SCHEMA.pattern ?? ''}`],
  },
  { says: 'counts characters, not halves of them', schema: { type: 'string', maxLength: 2 }, value: '😀😀', want: [] },
  {
    says: 'finds text too long by one',
    schema: { type: 'string', maxLength: 2 },
    value: '😀😀a',
    want: [' maxLength 2'],
  },
  { says: 'finds text too short', schema: { type: 'string', minLength: 1 }, value: '', want: [' minLength 1'] },
  {
    says: 'finds a word that is not listed',
    schema: { type: 'string', enum: ['a', 'b'] },
    value: 'c',
    want: [' enum '],
  },
  { says: 'keeps to the least number', schema: { type: 'integer', minimum: 1 }, value: 0, want: [' minimum 1'] },
  { says: 'keeps to the greatest number', schema: { type: 'integer', maximum: 1 }, value: 2, want: [' maximum 1'] },
  { says: 'takes the least int32', schema: { type: 'integer', format: 'int32' }, value: -(2 ** 31), want: [] },
  {
    says: 'refuses what follows the greatest int32',
    schema: { type: 'integer', format: 'int32' },
    value: 2 ** 31,
    want: [' format int32'],
  },
  {
    says: 'takes the greatest exact integer',
    schema: { type: 'integer', format: 'int64' },
    value: 2 ** 53 - 1,
    want: [],
  },
  {
    says: 'refuses an inexact integer',
    schema: { type: 'integer', format: 'int64' },
    value: 2 ** 53,
    want: [' format int64'],
  },
  { says: 'finds a list too long', schema: { type: 'array', maxItems: 1 }, value: [1, 2], want: [' maxItems 1'] },
  {
    says: 'finds an item that a set has twice',
    schema: { type: 'array', 'x-kubernetes-list-type': 'set' },
    value: ['a', 'b', 'a'],
    want: [' uniqueItems 0,2'],
  },
  {
    says: 'finds items with one key, and what is wrong inside of them',
    schema: keyed,
    value: [{ name: 'a' }, { name: 'b', sise: 1 }, { name: 'a' }],
    want: ['[1] additionalProperties sise', ' listMapKeys name,0,2'],
  },
];

describe('schemaViolations', () => {
  it.each(rows)('$says', ({ schema, value, want }) => {
    const found = schemaViolations(value, schema).map(
      ({ path, keyword, params }) => `${formatPath(path)} ${keyword} ${Object.values(params).join()}`,
    );
    expect(found).toEqual(want);
  });

  it('gives the schema and the value that a violation concerns', () => {
    const value = [{ name: 1 }];
    expect(schemaViolations(value, keyed)).toEqual([
      { path: [0, 'name'], keyword: 'type', params: {}, schema: { type: 'string' }, value: 1 },
    ]);
  });

  it('knows every keyword and format that the schema of agents uses', () => {
    const keywords = new Set<string>();
    const formats = new Set<string>();
    const seen = new Set<string>();
    const collect = (schema: JsonSchema): JsonSchema => {
      if (schema.$ref !== undefined && !seen.has(schema.$ref)) {
        seen.add(schema.$ref);
        collect(followRef(schema).schema);
      }
      for (const keyword of Object.keys(schema)) keywords.add(keyword);
      if (schema.format !== undefined) formats.add(schema.format);
      return mapSubschemas(schema, collect);
    };
    collect(AGENT_SPEC_SCHEMA);
    expect([...keywords].filter((keyword) => !KNOWN_KEYWORDS.has(keyword))).toEqual([]);
    expect([...formats].sort()).toEqual(['int32', 'int64']);
  });

  it('complains of the same things as a general validator, for mutants of every field', () => {
    let compared = 0;
    let refused = 0;
    for (const { name, always } of fieldGroups()) {
      for (const agent of always) {
        const { spec } = agent as { readonly spec: unknown };
        const ours = complaints(spec);
        expect({ name, spec, ours }).toEqual({ name, spec, ours: ajvComplaints(spec) });
        compared++;
        if (ours.length > 0) refused++;
      }
    }
    expect(compared).toBeGreaterThan(1000);
    expect(refused).toBeGreaterThan(500);
  });
});

/** What the check looks at, and what says nothing about a value's shape. */
const KNOWN_KEYWORDS = new Set([
  ...['type', 'required', 'properties', 'additionalProperties', 'items', '$ref', 'enum'],
  ...['minLength', 'maxLength', 'pattern', 'minimum', 'maximum', 'maxItems', 'format'],
  ...['x-kubernetes-int-or-string', 'anyOf', 'x-kubernetes-list-type', 'x-kubernetes-list-map-keys'],
  ...['description', 'default', 'x-kubernetes-map-type', 'x-kubernetes-validations'],
]);

function complaints(spec: unknown): readonly string[] {
  return schemaViolations(spec, AGENT_SPEC_SCHEMA)
    .filter(({ keyword }) => keyword !== 'listMapKeys')
    .map(({ path, keyword }) => `${path.map((segment) => `/${pointer(String(segment))}`).join('')} ${keyword}`)
    .sort();
}

function pointer(segment: string): string {
  return segment.replaceAll('~', '~0').replaceAll('/', '~1');
}
