import { isObject } from '../../api/canonical-json.js';
import type { JsonSchema } from '../../api/json-schema.js';
import { AGENT_SPEC_SCHEMA, fieldSchema, followRef } from '../../api/schema-access.js';
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
  spec: unknown,
  hasErrors: (path: readonly PathSegment[]) => boolean,
  report: Reporter,
): void {
  visit(spec, AGENT_SPEC_SCHEMA, ['spec']);

  function visit(value: unknown, unresolved: JsonSchema | undefined, path: readonly PathSegment[]): void {
    if (unresolved === undefined || typeof value !== 'object' || value === null) return;
    const { schema, typeName } = followRef(unresolved);
    if (typeName !== undefined && !hasErrors(path)) {
      for (const rules of [NATIVE_RULES[typeName], NATIVE_WARNINGS[typeName]]) {
        if (rules !== undefined) applyRules(rules, value, path, report);
      }
    }
    if (Array.isArray(value)) {
      value.forEach((item, index) => {
        visit(item, schema.items, [...path, index]);
      });
    } else if (isObject(value)) {
      for (const [key, field] of Object.entries(value)) visit(field, fieldSchema(schema, key), [...path, key]);
    }
  }
}
