import { isObject } from '../api/canonical-json.js';

/** Pairs of indices of items that have all `keys` in common. Items that lack a key are another check's business. */
export function duplicateKeys(
  items: readonly unknown[],
  keys: readonly string[],
): readonly (readonly [number, number])[] {
  const seen = new Map<string, number>();
  const pairs: [number, number][] = [];
  for (const [index, item] of items.entries()) {
    if (!isObject(item) || keys.some((key) => item[key] === undefined)) continue;
    const identity = JSON.stringify(keys.map((key) => item[key]));
    const first = seen.get(identity);
    if (first === undefined) seen.set(identity, index);
    else pairs.push([first, index]);
  }
  return pairs;
}
