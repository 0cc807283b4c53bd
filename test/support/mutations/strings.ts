import fc from 'fast-check';

/** Lengths at which the limits of Kubernetes lie, and one more. */
const LENGTHS = [1, 15, 16, 46, 47, 63, 64, 253, 254];

/** Texts that some syntax takes and another refuses. */
const FORMS: readonly string[] = [
  'a',
  'a-b',
  'a.b',
  'a_b',
  'A',
  'aB9',
  '7up',
  '',
  ' ',
  'a b',
  '-a',
  'a-',
  '.a',
  'a.',
  'a..b',
  '..',
  '.',
  '../a',
  'a/../b',
  '/',
  '/abs',
  'a/b',
  'a/b/c',
  'example.net/a',
  'Example.net/a',
  'a=b',
  'a:b',
  'a,b',
  'ä',
  'a\nb',
  'a\u0000b',
  '$(HOME)',
  '${HOME}',
  '*',
  '*.example.net',
  '0',
  '1',
  '0123',
  '-1',
  'true',
  'null',
  '10.0.0.1',
  '10.0.0.1/8',
  '10.0.0.0/8',
  '10.0.0.0/33',
  '010.0.0.1',
  '::1',
  'fd00::/8',
  '::ffff:10.0.0.1',
  '500m',
  '1Gi',
  '80',
  '65536',
  'http://example.net',
  'metadata.name',
  "metadata.labels['a']",
  'limits.cpu',
  'In',
  'Exists',
  'kubernetes.io/hostname',
];

/** Texts of a given first, middle and last character, in the lengths where limits lie. */
const bounded: fc.Arbitrary<string> = fc
  .record({
    length: fc.constantFrom(...LENGTHS),
    first: fc.constantFrom('a', '0', '-', 'A', '_', '.', '/'),
    middle: fc.constantFrom('a', '-', '.', 'A', '_'),
    last: fc.constantFrom('a', '0', '-', 'A', '.'),
  })
  .map(({ length, first, middle, last }) =>
    length === 1 ? first : first + (middle === '.' ? 'a.' : middle).repeat(length).slice(0, length - 2) + last,
  );

/** Texts as people and generators write them where a name, a path or a number is asked for. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...FORMS) },
  { weight: 3, arbitrary: bounded },
  { weight: 1, arbitrary: fc.string({ maxLength: 8 }) },
);

/** Texts that a name may be, for the places where only names are of interest. */
export const plainText: fc.Arbitrary<string> = fc.constantFrom('a', 'a-b', 'a1', 'other', 'x'.repeat(40));
