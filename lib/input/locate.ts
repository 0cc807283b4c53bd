import { isAlias, isMap, isScalar, isSeq, type Document, type Node, type Pair, type YAMLMap } from 'yaml';

import type { PathSegment } from '../validation/problem.js';
import { isMergeKey } from './node-value.js';

/** The place of a value in a document. */
export interface Located {
  /** The pair that holds the value, when its parent is a map. */
  readonly pair?: Pair;
  readonly value: Node | null;
  /** False when the path leads nowhere: then this is the nearest parent that is there. */
  readonly isExact: boolean;
}

/** Finds what stands at `path`, through aliases and merge keys, or the nearest parent that exists. */
export function locate(document: Document, path: readonly PathSegment[]): Located {
  let here: Located = { value: resolve(document, document.contents), isExact: true };
  for (const segment of path) {
    const next = step(document, here.value, segment);
    if (next === undefined) return { ...here, isExact: false };
    here = next;
  }
  return here;
}

/** Where a located value is written: a scalar itself, the key of a map or list, the first thing of a list item. */
export function offsetOf(located: Located, target: 'key' | 'value'): number {
  const { pair, value, isExact } = located;
  const isWrittenScalar = isScalar(value) && value.source !== '';
  const wantsKey = target === 'key' || !isExact || !isWrittenScalar;
  return start(wantsKey && pair !== undefined ? (pair.key as Node) : value);
}

function start(node: Node | null): number {
  return node?.range?.[0] ?? 0;
}

function step(document: Document, node: Node | null, segment: PathSegment): Located | undefined {
  if (isSeq(node) && typeof segment === 'number') {
    if (segment >= node.items.length) return undefined;
    return { value: resolve(document, node.items[segment] as Node), isExact: true };
  }
  return isMap(node) ? stepIntoMap(document, node, String(segment)) : undefined;
}

function stepIntoMap(document: Document, map: YAMLMap, key: string): Located | undefined {
  const own = map.items.find((pair) => isScalar(pair.key) && !isMergeKey(pair) && String(pair.key.value) === key);
  if (own !== undefined) return { pair: own, value: resolve(document, own.value as Node | null), isExact: true };
  for (const pair of map.items.filter(isMergeKey)) {
    const source = resolve(document, pair.value as Node | null);
    const maps = isSeq(source) ? source.items.map((item) => resolve(document, item as Node)) : [source];
    for (const merged of maps) {
      const found = isMap(merged) ? stepIntoMap(document, merged, key) : undefined;
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function resolve(document: Document, node: Node | null): Node | null {
  return isAlias(node) ? (node.resolve(document) ?? null) : node;
}
