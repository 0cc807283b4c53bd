import { expect, it } from 'vitest';

import { keyText } from '../../../../lib/emit/key-text.js';

it.each([
  ['metadata', 'metadata'],
  ['y', '"y"'],
  ['app.kubernetes.io/name', 'app.kubernetes.io/name'],
  ['12', '"12"'],
  ['__proto__', '"__proto__"'],
])('writes the key %s as %s, the first time and again', (key, text) => {
  expect([keyText(key), keyText(key)]).toEqual([text, text]);
});

it('writes keys beyond those that it remembers', () => {
  const keys = Array.from({ length: 3000 }, (_, index) => `${index}`);
  expect(keys.map(keyText)).toEqual(keys.map((key) => `"${key}"`));
});
