import { Lazy } from 'cdk8s';
import { isObject, setOwn } from '../api/canonical-json.js';
import { formatPath, type PathSegment, type Problem } from '../validation/problem.js';

/** What a program wrote, as JSON data, and what of it is none. */
export interface PlainData {
  readonly data: unknown;
  readonly problems: readonly Problem[];
}

/**
 * A value of a program as the data of a manifest; undefined fields go, as they would in YAML. What JSON would drop, change
 * or choke on is a problem: NaN in a field would else become its default.
 */
export function plainData(value: unknown): PlainData {
  const problems: Problem[] = [];
  const walk = (inner: unknown, path: readonly PathSegment[], around: ReadonlySet<object>): unknown => {
    const read = hasToJson(inner) ? inner.toJSON() : inner;
    const trouble = notData(read, around);
    if (trouble !== undefined) {
      problems.push({ severity: 'error', rule: 'NotData', path, ...trouble });
      return undefined;
    }
    if (typeof read !== 'object' || read === null) return read;
    const within = new Set(around).add(read);
    if (Array.isArray(read)) return read.map((item, index) => walk(item, [...path, index], within) ?? null);
    const result = {};
    for (const [key, field] of Object.entries(read)) {
      const data = walk(field, [...path, key], within);
      if (data !== undefined) setOwn(result, key, data);
    }
    return result;
  };
  return { data: walk(value, [], new Set()), problems };
}

/** `problems` without those about fields that are said to be no data. */
export function besides(found: readonly Problem[], problems: readonly Problem[]): readonly Problem[] {
  const said = new Set(found.map(({ path }) => formatPath(path)));
  return [...found, ...problems.filter(({ path }) => !said.has(formatPath(path)))];
}

function hasToJson(value: unknown): value is { toJSON(): unknown } {
  return isObject(value) && typeof value['toJSON'] === 'function';
}

function notData(value: unknown, around: ReadonlySet<object>): { message: string; hint: string } | undefined {
  if (typeof value === 'object') return value === null ? undefined : notMap(value, around);
  if (typeof value === 'number')
    return Number.isFinite(value) ? undefined : { message: `is ${value}`, hint: 'write a number' };
  if (!NO_DATA.has(typeof value)) return undefined;
  return { message: `is a ${typeof value}, which no manifest can hold`, hint: 'write text, a number or a boolean' };
}

const NO_DATA: ReadonlySet<string> = new Set(['bigint', 'function', 'symbol']);

function notMap(value: object, around: ReadonlySet<object>): { message: string; hint: string } | undefined {
  if (value instanceof Lazy)
    return {
      message: 'is a Lazy value, and agents and runs are rendered where they are written',
      hint: 'write the value',
    };
  if (around.has(value)) return { message: 'contains itself', hint: 'write plain data' };
  const [, name = ''] = /^\[object (.*)\]$/.exec(Object.prototype.toString.call(value)) ?? [];
  if (Array.isArray(value) || name === 'Object') return undefined;
  return { message: `is a ${name}, which no manifest can hold`, hint: 'write a plain object or a list' };
}
