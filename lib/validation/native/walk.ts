import { isObject } from '../../api/canonical-json.js';
import type { JsonSchema } from '../../api/json-schema.js';
import { fieldSchema, followRef } from '../../api/schema-access.js';
import type { PathSegment } from '../problem.js';
import type { Reporter } from '../reporter.js';
import { NATIVE_RULES } from './checks.js';
import { applyRules } from './rules.js';
import { NATIVE_WARNINGS } from './warnings.js';

/**
 * Applies the checks of each native type wherever the schema embeds it, so that a new field of a known type is checked
 * without a word. Values that the schema refuses are passed over: a check may rely on the shape of its type.
 */
export function checkNativeTypes(
  { spec, schema: root }: { readonly spec: unknown; readonly schema: JsonSchema },
  hasErrors: (path: readonly PathSegment[]) => boolean,
  report: Reporter,
): void {
  const here: PathSegment[] = ['spec'];
  visit(spec, root);

  function visit(value: unknown, unresolved: JsonSchema | undefined): void {
    if (unresolved === undefined || typeof value !== 'object' || value === null) return;
    const { schema, typeName } = followRef(unresolved);
    if (typeName !== undefined) checkType(value, typeName);
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) below(index, item, schema.items);
    } else if (isObject(value)) {
      for (const key of Object.keys(value)) below(key, value[key], fieldSchema(schema, key));
    }
  }

  function below(segment: PathSegment, value: unknown, schema: JsonSchema | undefined): void {
    // Most values are texts, which have no rules of their own.
    if (typeof value !== 'object') return;
    here.push(segment);
    visit(value, schema);
    here.pop();
  }

  function checkType(value: object, typeName: string): void {
    const checks = [NATIVE_RULES[typeName], NATIVE_WARNINGS[typeName]].filter((rules) => rules !== undefined);
    if (checks.length === 0) return;
    const path = [...here];
    if (hasErrors(path)) return;
    for (const rules of checks) applyRules(rules, value, path, report);
  }
}
