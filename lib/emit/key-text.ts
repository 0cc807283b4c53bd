import { scalarText } from './yaml-scalar.js';

/** Enough for the fields of every kind that is rendered; beyond it keys are the input's own, which may be many. */
const MOST_KEPT = 2000;

const kept = new Map<string, string>();

/** A key as it stands in YAML. Remembered, because a large tree has the same few keys again and again. */
export function keyText(key: string): string {
  const known = kept.get(key);
  if (known !== undefined) return known;
  const text = scalarText(key);
  if (kept.size < MOST_KEPT) kept.set(key, text);
  return text;
}
