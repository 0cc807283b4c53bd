import fc from 'fast-check';

import type { Group } from './campaign.js';
import { plainAgent } from './rule-groups.js';
import { anyText } from './strings.js';

const DRAWS = 24;
const SOME_UID = '8ce3ca8a-4b5c-4d5e-8f6a-7b8c9d0e1f2a';

const labels = fc.dictionary(anyText, anyText, { maxKeys: 2, noNullPrototype: true });
const wrongMaps = fc.constantFrom<unknown>(null, {}, [], 'a', { a: 1 }, { a: true }, { a: null }, { a: ['b'] });

/** Values of single fields of metadata. */
const FIELDS: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  name: fc.oneof(anyText, fc.constantFrom<unknown>(null, 1, true, undefined, {}, [])),
  namespace: fc.constantFrom<unknown>('lab', 'shared', 'n'.repeat(63)),
  labels: fc.oneof(labels, wrongMaps, fc.constantFrom<object>({ team: 'lab' }, { 'example.net/a': '' })),
  annotations: fc.oneof(
    labels,
    wrongMaps,
    anyText.map((value) => ({ 'example.net/a': value })),
  ),
  finalizers: fc.constantFrom<unknown>([], ['example.net/a'], null, 'a', [1]),
  creationTimestamp: fc.constantFrom<unknown>(null, '2026-01-01T00:00:00Z', undefined),
  resourceVersion: fc.constantFrom<unknown>('', null, undefined),
  uid: fc.constantFrom<unknown>(SOME_UID, '', null, undefined),
  generation: fc.constantFrom<unknown>(1, 0, null, undefined),
};

/** Agents whose metadata is changed, and agents with more or less than the four parts of an object. */
export function metadataGroups(): readonly Group[] {
  const fields = Object.entries(FIELDS).map(([field, values]) => ({
    name: `metadata.${field}`,
    always: [],
    any: fc
      .record({ value: values, suspend: fc.boolean(), grace: fc.integer({ min: 31, max: 600 }) })
      .map(({ value, suspend, grace }) =>
        plainAgent({ suspend, terminationGracePeriodSeconds: grace }, value === undefined ? {} : { [field]: value }),
      ),
    draws: DRAWS,
  }));
  return fields;
}
