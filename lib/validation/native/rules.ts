import type { SyntaxCheck } from '../name-syntax.js';
import { nearest } from '../nearest.js';
import type { PathSegment } from '../problem.js';
import { Reporter } from '../reporter.js';

/** A check of one value that the schema has found well-formed. */
export type ValueCheck<T = never> = (value: T, path: readonly PathSegment[], report: Reporter) => void;

/** What Kubernetes asks of a native type beyond its schema. */
export interface NativeRules {
  /** Fields that have to be there and not be empty, although the schema leaves them open. */
  readonly needs?: readonly string[];
  /** Of these fields at most one may be set; with `exactly` one has to be. */
  readonly oneOf?: { readonly fields: readonly string[]; readonly exactly: boolean };
  /** Checks of single fields. An empty string counts as absent. */
  readonly fields?: Readonly<Record<string, ValueCheck>>;
  /** Checks of the value as a whole. */
  readonly whole?: readonly ValueCheck[];
}

/** Text of the given syntax. */
export function syntax(check: SyntaxCheck): ValueCheck<string> {
  return (value, path, report) => {
    const trouble = check(value);
    if (trouble !== undefined) report.error(path, { rule: 'BadName', message: trouble, hint: 'write another value' });
  };
}

/** One of a closed set of words that the schema does not name. */
export function word(...allowed: readonly string[]): ValueCheck<string> {
  return (value, path, report) => {
    if (allowed.includes(value)) return;
    const guess = nearest(value, allowed);
    const hint = guess === undefined ? `write one of ${allowed.join(', ')}` : `did you mean ${guess}?`;
    const message = `${JSON.stringify(value)} is not one of ${allowed.join(', ')}`;
    report.error(path, { rule: 'NotAllowedValue', message, hint });
  };
}

/** A number between two bounds, both included. */
export function between(least: number, most: number): ValueCheck<number> {
  return (value, path, report) => {
    if (value >= least && value <= most) return;
    const message = `has to be between ${least} and ${most}`;
    report.error(path, { rule: 'OutOfBounds', message, hint: `write a number from ${least} to ${most}` });
  };
}

/**
 * A check of a field that clusters drop unless a feature is on. Its problems have a rule of their own, because a cluster
 * of today takes what it does not look at.
 */
export function gated<T>(check: ValueCheck<T>): ValueCheck<T> {
  return (value, path, report) => {
    const found = new Reporter();
    check(value, path, found);
    report.addAll(found.problems.map((problem) => ({ ...problem, rule: 'Gated' })));
  };
}

/** Every item of a list. */
export function each<T>(check: ValueCheck<T>): ValueCheck<readonly T[]> {
  return (items, path, report) => {
    items.forEach((item, index) => {
      check(item, [...path, index], report);
    });
  };
}

/** Every key of a map. */
export function keys(check: ValueCheck<string>): ValueCheck<Readonly<Record<string, unknown>>> {
  return (map, path, report) => {
    for (const key of Object.keys(map)) check(key, [...path, key], report);
  };
}

/** Every value of a map. */
export function values<T>(check: ValueCheck<T>): ValueCheck<Readonly<Record<string, T>>> {
  return (map, path, report) => {
    for (const [key, value] of Object.entries(map)) check(value, [...path, key], report);
  };
}

/** Several checks of one value. */
export function all<T>(...checks: readonly ValueCheck<T>[]): ValueCheck<T> {
  return (value, path, report) => {
    for (const check of checks) check(value, path, report);
  };
}

/** A path that never goes up. */
export const noBacksteps: ValueCheck<string> = (value, path, report) => {
  if (!value.split('/').includes('..')) return;
  report.error(path, { rule: 'BadPath', message: "must not contain '..'", hint: 'write the path without ..' });
};

/** A path inside a volume: relative, and never up. */
export const relativePath: ValueCheck<string> = (value, path, report) => {
  if (!value.startsWith('/') && !value.split('/').includes('..')) return;
  report.error(path, {
    rule: 'BadPath',
    message: "has to be a relative path without '..'",
    hint: 'write a path below the volume',
  });
};

/** A {@link relativePath} that does not begin with two dots, which the kubelet keeps to itself. */
export const localPath: ValueCheck<string> = (value, path, report) => {
  relativePath(value, path, report);
  if (!value.startsWith('..') || value.split('/').includes('..')) return;
  report.error(path, { rule: 'BadPath', message: "must not begin with '..'", hint: 'write another name' });
};

/** Applies `rules` to a value of their type. */
export function applyRules(rules: NativeRules, value: object, path: readonly PathSegment[], report: Reporter): void {
  const record = value as Readonly<Record<string, unknown>>;
  for (const field of rules.needs ?? []) {
    if (isSet(record[field])) continue;
    report.error([...path, field], { rule: 'Required', message: 'is required', hint: `add ${field}` });
  }
  if (rules.oneOf !== undefined) checkOneOf(rules.oneOf, record, path, report);
  for (const [field, check] of Object.entries(rules.fields ?? {})) {
    if (isSet(record[field])) check(record[field] as never, [...path, field], report);
  }
  for (const check of rules.whole ?? []) check(value as never, path, report);
}

function checkOneOf(
  { fields, exactly }: NonNullable<NativeRules['oneOf']>,
  value: Readonly<Record<string, unknown>>,
  path: readonly PathSegment[],
  report: Reporter,
): void {
  const set = fields.filter((field) => value[field] !== undefined);
  if (set.length > 1) {
    const message = `${set.join(' and ')} exclude each other`;
    report.error(path, { rule: 'Exclusive', message, hint: 'keep one of them' });
  } else if (set.length === 0 && exactly) {
    report.error(path, { rule: 'Required', message: 'names no source', hint: `add one of ${fields.join(', ')}` });
  }
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}
