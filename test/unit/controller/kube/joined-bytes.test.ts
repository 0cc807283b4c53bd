import { expect, it } from 'vitest';
import { joinedBytes } from '../../../../controller/kube/joined-bytes.js';

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
  expect(joinedBytes(inPieces(text, 7)).toString('utf8') === text).toBe(true);
});

it('uses its memory again, but for an answer that is large', () => {
  const first = joinedBytes([Buffer.from('first')]);
  const large = joinedBytes([Buffer.alloc(3_000_000, 'x')]);
  joinedBytes([Buffer.from('again')]);
  expect(first.toString()).toBe('again');
  expect(large.subarray(0, 5).toString()).toBe('xxxxx');
});
