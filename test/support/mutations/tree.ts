import { isObject } from '../../../lib/api/canonical-json.js';
import type { PathSegment } from '../../../lib/validation/problem.js';
import { ITEM, VALUE } from './schema-sites.js';

/** Stands for a field that is not there. */
export const ABSENT = Symbol('absent');

/** The value at a concrete path; undefined where there is none. */
export function valueAt(root: unknown, path: readonly PathSegment[]): unknown {
  return path.reduce<unknown>(
    (value, segment) => (value as Readonly<Record<PathSegment, unknown>> | undefined | null)?.[segment],
    root,
  );
}

/** A copy of `root` with another value at `path`, which has to exist but for its last step. */
export function withValue(root: unknown, path: readonly PathSegment[], value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  const changed = withValue((root as Readonly<Record<PathSegment, unknown>>)[step], rest, value);
  if (Array.isArray(root)) {
    const items = [...(root as readonly unknown[])];
    if (changed === ABSENT) items.splice(Number(step), 1);
    else items[Number(step)] = changed;
    return items;
  }
  const entries = Object.entries(root as object).filter(([key]) => key !== step);
  return Object.fromEntries(changed === ABSENT ? entries : [...entries, [step, changed]]);
}

/** Where in `root` a path of the schema has a value. */
export function* placesOf(
  root: unknown,
  path: readonly string[],
  above: readonly PathSegment[] = [],
): Generator<readonly PathSegment[]> {
  const [step, ...rest] = path;
  if (step === undefined) {
    if (root !== undefined) yield above;
  } else if (step === ITEM || step === VALUE) {
    const entries = Array.isArray(root) ? root.entries() : isObject(root) ? Object.entries(root) : [];
    for (const [key, value] of entries) yield* placesOf(value, rest, [...above, key]);
  } else if (isObject(root)) {
    yield* placesOf(root[step], rest, [...above, step]);
  }
}
