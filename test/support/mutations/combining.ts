import fc from 'fast-check';

/** One of some values, or none. */
export const maybe = <T>(...values: readonly T[]): fc.Arbitrary<T | undefined> =>
  fc.option(fc.constantFrom(...values), { nil: undefined });

/** An object of the fields that are drawn; what is undefined is left out. */
export function object(fields: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<object> {
  return fc
    .record(fields)
    .map((drawn) => Object.fromEntries(Object.entries(drawn).filter(([, value]) => value !== undefined)));
}

/** One or two of something. */
export function listsOf(item: fc.Arbitrary<unknown>): fc.Arbitrary<readonly unknown[]> {
  return fc.array(item, { minLength: 1, maxLength: 2 });
}

/** Selectors that are good, bad and empty. */
export const labelSelectors = object({
  matchLabels: maybe<object>({}, { a: 'b' }, { 'a/b': '' }, { a: '-' }, { '': 'a' }),
  matchExpressions: maybe<unknown>([], [{ key: 'a', operator: 'Exists' }], [{ key: 'a', operator: 'In' }]),
});
