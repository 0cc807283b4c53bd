import { isAlias, isMap, isScalar, isSeq, Scalar, type Node, type Pair, type YAMLMap } from 'yaml';

import { setOwn } from '../api/canonical-json.js';
import type { PathSegment } from '../validation/problem.js';
import { plainScalarTrouble } from './plain-scalar.js';

/** Something in the text that does not become data as its author expects. */
export interface Finding {
  readonly rule: string;
  readonly path: readonly PathSegment[];
  readonly offset: number;
  readonly message: string;
  readonly hint: string;
  /** Where the other of two things is that the message speaks of. */
  readonly otherOffset?: number;
}

/** How many values the aliases of one document may add. Without a bound a small file expands to fill the memory. */
const MAX_ALIASED_VALUES = 500_000;

const ALLOWED_TAGS: readonly (string | undefined)[] = [
  undefined,
  'tag:yaml.org,2002:str',
  'tag:yaml.org,2002:map',
  'tag:yaml.org,2002:seq',
];

interface Anchored {
  readonly value: unknown;
  readonly size: number;
}

/** Turns the nodes of one document into plain JSON data; aliases and merge keys are expanded. */
export class NodeReader {
  readonly findings: Finding[] = [];
  private readonly anchors = new Map<string, Anchored | 'open'>();
  private readonly path: PathSegment[] = [];
  private size = 0;
  private aliased = 0;

  /** The data of `node`. What is wrong is in {@link findings}. */
  read(node: unknown): unknown {
    this.size++;
    if (isAlias(node)) return this.readAlias(node.source, node.range?.[0] ?? 0);
    if (!isScalar(node) && !isMap(node) && !isSeq(node)) return null;
    const before = this.size;
    if (node.anchor !== undefined) this.anchors.set(node.anchor, 'open');
    this.checkTag(node);
    const value = this.readContent(node);
    if (node.anchor !== undefined) this.anchors.set(node.anchor, { value, size: this.size - before + 1 });
    return value;
  }

  private readContent(node: Node): unknown {
    if (isMap(node)) return this.readMap(node);
    if (isSeq(node)) return node.items.map((item, index) => this.below(index, () => this.read(item)));
    return isScalar(node) ? this.readScalar(node) : null;
  }

  private below<T>(segment: PathSegment, read: () => T): T {
    this.path.push(segment);
    const value = read();
    this.path.pop();
    return value;
  }

  private readScalar(node: Scalar): unknown {
    const { value, type, source } = node;
    if (type === Scalar.PLAIN && node.tag === undefined) {
      const plain = value as string | number | boolean | null;
      const trouble = plainScalarTrouble(source ?? '', plain);
      if (trouble !== undefined) this.report('AmbiguousScalar', node, trouble, quoteHint(source ?? ''));
      return value;
    }
    if (typeof value === 'string' && /[\ud800-\udfff]/u.test(value)) {
      this.report('ControlCharacter', node, 'half of a surrogate pair is no character', 'write the whole character');
    }
    return value;
  }

  private readAlias(name: string, offset: number): unknown {
    const anchored = this.anchors.get(name);
    if (anchored === undefined || anchored === 'open') {
      const message = anchored === 'open' ? `the alias *${name} contains itself` : `no anchor &${name} stands before`;
      this.add({ rule: 'BadAlias', offset, message, hint: 'write the value out' });
      return null;
    }
    this.aliased += anchored.size;
    this.size += anchored.size;
    if (this.aliased > MAX_ALIASED_VALUES) {
      const hint = 'write the values out, or split the file';
      throw new AliasBomb({
        rule: 'BadAlias',
        offset,
        path: [...this.path],
        message: 'the aliases expand to too much',
        hint,
      });
    }
    return anchored.value;
  }

  private readMap(node: YAMLMap): object {
    const result = {};
    const merged: unknown[] = [];
    const offsets = new Map<string, number>();
    for (const pair of node.items) {
      if (isMergeKey(pair)) merged.push(this.below('<<', () => this.readMergeSource(pair)));
      else this.readPair(pair, result, offsets);
    }
    for (const source of merged.flat()) {
      for (const [key, value] of Object.entries(source as object)) {
        if (!Object.hasOwn(result, key)) setOwn(result, key, value);
      }
    }
    return result;
  }

  private readPair(pair: Pair, result: object, offsets: Map<string, number>): void {
    const key = this.readKey(pair.key);
    if (key === undefined) return;
    const offset = (pair.key as Node).range?.[0] ?? 0;
    const earlier = offsets.get(key);
    if (earlier !== undefined) {
      const message = `the key ${JSON.stringify(key)} is there twice`;
      const path = [...this.path, key];
      const hint = 'keep one of the two: readers differ in which one wins';
      this.findings.push({ rule: 'DuplicateKey', path, offset, message, hint, otherOffset: earlier });
      return;
    }
    offsets.set(key, offset);
    setOwn(
      result,
      key,
      this.below(key, () => this.read(pair.value)),
    );
  }

  private readKey(node: unknown): string | undefined {
    const value = isAlias(node) ? this.read(node) : isScalar(node) ? this.readScalarKey(node) : undefined;
    if (typeof value === 'string') return value;
    if (value === undefined || value === null || typeof value === 'object') {
      const offset = (node as Node | null)?.range?.[0] ?? 0;
      this.add({ rule: 'BadKey', offset, message: 'a key has to be a string', hint: 'write a string as the key' });
      return undefined;
    }
    const source = (isScalar(node) ? node.source : undefined) ?? JSON.stringify(value);
    this.report('BadKey', node as Node, `the key ${source} is no string`, quoteHint(source));
    return undefined;
  }

  private readScalarKey(node: Scalar): unknown {
    const value = this.read(node);
    return typeof value === 'symbol' ? node.source : value;
  }

  private readMergeSource(pair: Pair): readonly object[] {
    const value = this.read(pair.value);
    const sources: unknown[] = Array.isArray(value) ? value : [value];
    const isValid = sources.every((source) => typeof source === 'object' && source !== null && !Array.isArray(source));
    if (isValid) return sources as object[];
    this.report('BadMerge', pair.key as Node, 'a merge key takes a map or a list of maps', 'give the alias of a map');
    return [];
  }

  private checkTag(node: Node): void {
    if (ALLOWED_TAGS.includes(node.tag)) return;
    const tag = (node.tag ?? '').replace('tag:yaml.org,2002:', '!!');
    this.report('BadTag', node, `the tag ${tag} is not supported`, 'remove the tag and quote strings');
  }

  private report(rule: string, node: Node, message: string, hint: string): void {
    this.add({ rule, offset: node.range?.[0] ?? 0, message, hint });
  }

  private add(finding: Omit<Finding, 'path'>): void {
    this.findings.push({ ...finding, path: [...this.path] });
  }
}

/** Thrown when the aliases of a document expand beyond all measure: reading on would only cost time. */
export class AliasBomb extends Error {
  readonly finding: Finding;

  constructor(finding: Finding) {
    super(finding.message);
    this.finding = finding;
  }
}

/** Whether a pair is `<<: …`. A quoted `"<<"` is an ordinary key. */
export function isMergeKey(pair: Pair): boolean {
  return isScalar(pair.key) && pair.key.type === Scalar.PLAIN && pair.key.source === '<<';
}

function quoteHint(source: string): string {
  const hint = `write ${JSON.stringify(source)}`;
  return /^(y|yes|on)$/i.test(source)
    ? `${hint}, or true where a boolean is meant`
    : /^(n|no|off)$/i.test(source)
      ? `${hint}, or false where a boolean is meant`
      : hint;
}
