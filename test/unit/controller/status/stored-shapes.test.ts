import { describe, expect, it } from 'vitest';
import { conform, type Shape } from '../../../../controller/status/stored-shapes.js';

const ENTRY: Shape = { fields: { name: 'text', count: 'number', on: 'flag' }, required: ['name'] };

/** Not written in place: every object literal has a `toString` of another type already. */
const INHERITED: Shape = { fields: Object.fromEntries([['toString', 'text' as const]]) };

const ROWS: readonly (readonly [string, unknown, Shape, unknown])[] = [
  ['is taken where it fits', { name: 'a', count: 1, on: false }, ENTRY, { name: 'a', count: 1, on: false }],
  ['loses fields that nobody asks for', { name: 'a', more: 1 }, ENTRY, { name: 'a' }],
  ['loses fields of another type', { name: 'a', count: '1', on: null }, ENTRY, { name: 'a' }],
  ['is absent without what it needs', { count: 1 }, ENTRY, undefined],
  ['is absent as null', null, ENTRY, undefined],
  ['is absent as a list in place of a map', [{ name: 'a' }], ENTRY, undefined],
  ['is absent as a map in place of a list', { name: 'a' }, { list: ENTRY }, undefined],
  [
    'keeps the items that fit',
    [{ name: 'a' }, null, {}, { name: 'b' }],
    { list: ENTRY },
    [{ name: 'a' }, { name: 'b' }],
  ],
  ['keeps an empty map', {}, { fields: { reason: 'text' } }, {}],
  ['keeps the texts of a map of texts', { a: 'x', b: 1 }, { values: 'text' }, { a: 'x' }],
  ['is absent as a number that is none', Number.NaN, 'number', undefined],
  ['does not take what every object inherits', {}, INHERITED, {}],
];

describe('a stored value', () => {
  it.each(ROWS.map(([name, value, shape, want]) => ({ name, value, shape, want })))(
    '$name',
    ({ value, shape, want }) => {
      expect(conform(value, shape)).toEqual(want);
    },
  );
});
