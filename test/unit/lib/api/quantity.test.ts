import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  canonicalQuantity,
  canonicalResourceAmount,
  compareQuantities,
  formatQuantity,
  parseQuantity,
} from '../../../../lib/api/quantity.js';

describe('canonicalQuantity', () => {
  it.each([
    ['0.5', '500m'],
    ['.5', '500m'],
    ['5.', '5'],
    ['+5', '5'],
    ['1000m', '1'],
    ['1024Mi', '1Gi'],
    ['1.5Gi', '1536Mi'],
    ['1023Ki', '1023Ki'],
    ['0.5Ki', '512'],
    ['3.3Ki', '3379200m'],
    ['1e3', '1e3'],
    ['5e4', '50e3'],
    ['1000000e0', '1e6'],
    ['1e-3', '1e-3'],
    ['1E', '1E'],
    ['1000', '1k'],
    ['1024', '1024'],
    ['0.1m', '100u'],
    ['0.0000000001', '1n'],
    ['-0.5', '-500m'],
    ['-2000Ki', '-2000Ki'],
    ['0Gi', '0'],
    ['16Ei', '9223372036854775807'],
  ])('prints %s as %s', (text, want) => {
    expect(canonicalQuantity(text)).toBe(want);
  });

  it.each(['', ' ', '1 Gi', '1GB', '1e', '1e1.5', '1,5', 'Gi', '1K', '1ki', '0x10', '--1', '1e99999', 'NaN'])(
    'refuses %j',
    (text) => {
      expect(canonicalQuantity(text)).toBeUndefined();
    },
  );
});

describe('canonicalResourceAmount', () => {
  it.each([
    ['0.1m', '1m'],
    ['1500u', '2m'],
    ['1n', '1m'],
    ['-1u', '-1m'],
    ['1.5', '1500m'],
  ])('rounds %s up to %s', (text, want) => {
    expect(canonicalResourceAmount(text)).toBe(want);
  });
});

describe('compareQuantities', () => {
  it.each([
    ['1Gi', '1024Mi', 0],
    ['1G', '1Gi', -1],
    ['1', '999m', 1],
    ['-1', '0', -1],
    ['x', '1', NaN],
  ])('%s against %s is %d', (a, b, want) => {
    expect(compareQuantities(a, b)).toBe(want);
  });
});

const quantityText = fc
  .tuple(
    fc.constantFrom('', '-', '+'),
    fc.nat(99_999_999),
    fc.option(fc.nat(9999)),
    fc.constantFrom('', 'n', 'u', 'm', 'k', 'M', 'G', 'T', 'Ki', 'Mi', 'Gi', 'Ti', 'e3', 'E-2', 'e+6'),
  )
  .map(([sign, whole, fraction, suffix]) => `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${suffix}`);

describe('any quantity', () => {
  it('keeps its amount in canonical form, and its canonical form is stable', () => {
    fc.assert(
      fc.property(quantityText, (text) => {
        const canonical = canonicalQuantity(text) ?? '';
        expect(parseQuantity(canonical)?.nanos).toBe(parseQuantity(text)?.nanos);
        expect(canonicalQuantity(canonical)).toBe(canonical);
      }),
      { seed: 1, numRuns: 2000 },
    );
  });

  it('is written in one way per amount and format', () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 24n), (nanos) => {
        const text = formatQuantity({ nanos, format: 'decimal' });
        expect(text).toMatch(/^\d+[numkMGTPE]?$/);
        expect(text).not.toMatch(/000[numkMGTP]?$/);
      }),
      { seed: 2, numRuns: 500 },
    );
  });
});
