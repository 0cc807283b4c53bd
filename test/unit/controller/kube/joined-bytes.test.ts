import { expect, it } from 'vitest';
import { readJoined } from '../../../../controller/kube/joined-bytes.js';

const inPieces = (text: string, length: number): Buffer[] => {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / length) }, (_, index) =>
    bytes.subarray(index * length, (index + 1) * length),
  );
};

it.each([
  ['nothing', ''],
  ['a short answer', 'grüße'],
  ['a longer one', 'ä'.repeat(5000)],
  ['a shorter one after it', 'kurz'],
  ['more than is kept', 'é'.repeat(1_500_000)],
  ['a short one after that', '{"kind":"Pod"}'],
])('puts %s together', (_, text) => {
  expect(readJoined(inPieces(text, 7), (bytes) => bytes.toString('utf8')) === text).toBe(true);
});

it.each([100, 3_000_000])('keeps nothing of %i bytes, even when they cannot be read', (length) => {
  const seen: Buffer[] = [];
  const read = (bytes: Buffer): never => {
    seen.push(bytes);
    throw new TypeError('no');
  };
  expect(() => readJoined([Buffer.alloc(length, 'x')], read)).toThrow('no');
  expect(seen[0]?.length).toBe(length);
  expect(seen[0]?.some((byte) => byte !== 0)).toBe(false);
});
