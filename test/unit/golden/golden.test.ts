import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { hermesAgentSpecSchema } from '../../../lib/api/hermes-agent-schema.js';
import type { JsonSchema } from '../../../lib/api/json-schema.js';
import { GOLDEN, goldenCases, goldenInput, goldenOutput } from '../../support/golden.js';

it.each(goldenCases())('renders %s', (name) => {
  expect(goldenOutput(name)).toBe(readFileSync(join(GOLDEN, name, 'expected.yaml'), 'utf8'));
});

it('has a case for every field of ours', () => {
  const written = new Set(
    goldenCases().flatMap((name) => {
      const { spec } = parse(Buffer.from(goldenInput(name)).toString('utf8')) as { readonly spec: unknown };
      return paths(spec, '');
    }),
  );
  expect(fields(hermesAgentSpecSchema, '').filter((field) => !written.has(field))).toEqual([]);
});

/** Fields of a schema down to where native types begin; those of list items count as fields of the list. */
function fields(schema: JsonSchema, parent: string): readonly string[] {
  const own = schema.properties ?? schema.items?.properties;
  if (own === undefined) return [];
  return Object.entries(own).flatMap(([key, inner]) => [`${parent}.${key}`, ...fields(inner, `${parent}.${key}`)]);
}

function paths(value: unknown, parent: string): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => paths(item, parent));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [`${parent}.${key}`, ...paths(inner, `${parent}.${key}`)]);
}
