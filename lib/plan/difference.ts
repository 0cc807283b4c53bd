import { formatPath, type PathSegment } from '../validation/problem.js';

/** One field that is not the same on both sides. `undefined` where a side does not have it. */
export interface Difference {
  /** As kubectl would print it, list items by their key: `spec.containers[hermes].image`. */
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Fields by which the items of a Kubernetes list are told apart, first that fits. */
const ITEM_KEYS = ['name', 'mountPath', 'ip', 'containerPort', 'port', 'topologyKey', 'type'] as const;

/**
 * Every leaf that differs between two JSON values, in the order of the paths. Items of a list are matched by their key
 * where every item has a unique one, so that an inserted variable is one difference and not one for all that follow. Where
 * such items change places, that is a difference of the list itself: a pod template with another order is another one.
 */
export function differences(before: unknown, after: unknown): Difference[] {
  const found: { path: readonly PathSegment[]; before: unknown; after: unknown }[] = [];
  const walk = (a: unknown, b: unknown, path: readonly PathSegment[]): void => {
    const pair = keyed(a, b);
    if (pair === undefined) {
      if (!isEqualLeaf(a, b)) found.push({ path, before: a, after: b });
      return;
    }
    for (const key of new Set([...pair.before.keys(), ...pair.after.keys()])) {
      walk(pair.before.get(key), pair.after.get(key), [...path, pair.isList ? listSegment(key) : key]);
    }
    if (!pair.isList) return;
    const [orderBefore, orderAfter] = movedKeys(pair);
    if (orderBefore.length > 0) found.push({ path, before: orderBefore, after: orderAfter });
  };
  walk(before, after, []);
  return found
    .map((entry) => ({ ...entry, path: formatPath(entry.path).replace(/\["\\u0000([^"]*)"\]/g, '[$1]') }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The keys that both lists have, from the first to the last that is not in its place; empty when all are. */
function movedKeys({ before, after }: Keyed): [string[], string[]] {
  const [a, b] = [
    [...before.keys()].filter((key) => after.has(key)),
    [...after.keys()].filter((key) => before.has(key)),
  ];
  const isMoved = (key: string, index: number): boolean => key !== b[index];
  const [first, last] = [a.findIndex(isMoved), a.findLastIndex(isMoved)];
  return first === -1 ? [[], []] : [a.slice(first, last + 1), b.slice(first, last + 1)];
}

/** Marks a list key, so that it prints as `[hermes]` where a map key would print as `["hermes"]` or `.hermes`. */
function listSegment(key: string): string {
  return `\0${key}`;
}

interface Keyed {
  readonly isList: boolean;
  readonly before: ReadonlyMap<string, unknown>;
  readonly after: ReadonlyMap<string, unknown>;
}

/** Both sides as maps, when both are maps, or both are lists. Otherwise the values are compared as they are. */
function keyed(a: unknown, b: unknown): Keyed | undefined {
  if (isRecord(a) && isRecord(b)) {
    return { isList: false, before: new Map(Object.entries(a)), after: new Map(Object.entries(b)) };
  }
  if (!Array.isArray(a) || !Array.isArray(b)) return undefined;
  const key = ITEM_KEYS.find((candidate) => hasUniqueKey(a, candidate) && hasUniqueKey(b, candidate));
  const byKey = (items: readonly unknown[]): Map<string, unknown> =>
    new Map(items.map((item, index) => [key === undefined ? String(index) : keyOf(item, key), item]));
  return { isList: true, before: byKey(a), after: byKey(b) };
}

function hasUniqueKey(items: readonly unknown[], key: string): boolean {
  return (
    items.every((item) => isRecord(item) && item[key] !== undefined) &&
    new Set(items.map((item) => keyOf(item, key))).size === items.length
  );
}

function keyOf(item: unknown, key: string): string {
  return String((item as Record<string, unknown>)[key]);
}

function isEqualLeaf(a: unknown, b: unknown): boolean {
  return a === b;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
