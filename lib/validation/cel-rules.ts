import { Environment, type ParseResult } from '@marcbachmann/cel-js';

import { isObject } from '../api/canonical-json.js';
import type { CelRule, JsonSchema } from '../api/json-schema.js';
import { followRef } from '../api/schema-access.js';
import type { PathSegment, Problem } from './problem.js';

/** Any index of a list or any key of a map. */
const EVERY = Symbol('every');

/** A problem as the CRD states it, which says what is wrong and not what to write instead. */
export type BrokenRule = Omit<Problem, 'hint'>;

interface CompiledRule {
  readonly source: CelRule;
  readonly evaluate: ParseResult;
  readonly message?: ParseResult;
}

interface RuleSite {
  readonly path: readonly (string | typeof EVERY)[];
  readonly rules: readonly CompiledRule[];
}

/**
 * Evaluates the CEL rules of a CRD, whose root schema is `schema`, wherever it has them. `object` has to be defaulted.
 * Where `hasErrors` says that a value is already known to be wrong its rules are passed over, since they would only
 * repeat it in other words. Rules about a change are left out: an input has no former state.
 */
export function celProblems(
  object: unknown,
  schema: JsonSchema,
  hasErrors: (path: readonly PathSegment[]) => boolean = () => false,
): readonly BrokenRule[] {
  return ruleSites(schema).flatMap((site) =>
    [...valuesAt(object, site.path, [])].flatMap(({ value, path }) =>
      hasErrors(path) ? [] : site.rules.flatMap((rule) => violations(rule, value, path)),
    ),
  );
}

function violations(rule: CompiledRule, self: unknown, path: readonly PathSegment[]): readonly BrokenRule[] {
  const outcome = evaluate(rule.evaluate, self);
  if (outcome === true) return [];
  const { message = `fails the rule ${rule.source.rule}`, reason } = rule.source;
  const said = rule.message === undefined ? undefined : evaluate(rule.message, self);
  return [
    {
      severity: 'error',
      rule: reason === 'FieldValueRequired' ? 'Required' : 'Rule',
      path: [...path, ...fieldPathOf(rule.source)],
      message: typeof said === 'string' ? said : message,
    },
  ];
}

/** The API server takes a rule that cannot be evaluated for a rule that fails. */
function evaluate(expression: ParseResult, self: unknown): unknown {
  try {
    return expression({ self });
  } catch {
    return undefined;
  }
}

function fieldPathOf(rule: CelRule): readonly string[] {
  return rule.fieldPath?.split('.').filter((part) => part !== '') ?? [];
}

const sitesOf = new WeakMap<JsonSchema, readonly RuleSite[]>();

function ruleSites(schema: JsonSchema): readonly RuleSite[] {
  const known = sitesOf.get(schema);
  if (known !== undefined) return known;
  const environment = new Environment().registerVariable('self', 'dyn');
  const sites = [...findSites(schema, [], environment)];
  sitesOf.set(schema, sites);
  return sites;
}

function* findSites(unresolved: JsonSchema, path: RuleSite['path'], environment: Environment): Generator<RuleSite> {
  const { schema } = followRef(unresolved);
  const rules = (schema['x-kubernetes-validations'] ?? []).filter(({ rule }) => !/\boldSelf\b/.test(rule));
  if (rules.length > 0) yield { path, rules: rules.map((rule) => compile(rule, environment)) };
  for (const [name, sub] of Object.entries(schema.properties ?? {})) {
    yield* findSites(sub, [...path, name], environment);
  }
  for (const sub of [schema.items, schema.additionalProperties]) {
    if (sub !== undefined) yield* findSites(sub, [...path, EVERY], environment);
  }
}

function compile(rule: CelRule, environment: Environment): CompiledRule {
  return {
    source: rule,
    evaluate: environment.parse(rule.rule),
    ...(rule.messageExpression !== undefined && { message: environment.parse(rule.messageExpression) }),
  };
}

interface Found {
  readonly value: unknown;
  readonly path: readonly PathSegment[];
}

function* valuesAt(value: unknown, rest: RuleSite['path'], path: readonly PathSegment[]): Generator<Found> {
  const [step, ...below] = rest;
  if (step === undefined) {
    yield { value, path };
  } else if (step === EVERY) {
    const entries = Array.isArray(value) ? value.entries() : isObject(value) ? Object.entries(value) : [];
    for (const [key, item] of entries) yield* valuesAt(item, below, [...path, key]);
  } else if (isObject(value) && Object.hasOwn(value, step)) {
    yield* valuesAt(value[step], below, [...path, step]);
  }
}
