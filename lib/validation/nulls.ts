import { isObject } from '../api/canonical-json.js';
import type { JsonSchema } from '../api/json-schema.js';
import { fieldSchema, followRef } from '../api/schema-access.js';
import type { PathSegment } from './problem.js';
import type { Reporter } from './reporter.js';
import type { SourceText } from './structure.js';

/**
 * `value: null` and an entry of a map without a value: the API server drops them, and whoever wrote them in a file meant
 * a text or nothing at all.
 */
export function checkNulls(
  { spec, schema: root }: { readonly spec: unknown; readonly schema: JsonSchema },
  sourceText: SourceText,
  report: Reporter,
): void {
  visit(spec, root, ['spec']);

  function visit(value: unknown, unresolved: JsonSchema | undefined, path: readonly PathSegment[]): void {
    if (unresolved === undefined) return;
    const { schema, typeName } = followRef(unresolved);
    if (Array.isArray(value))
      value.forEach((item, index) => {
        visit(item, schema.items, [...path, index]);
      });
    if (!isObject(value)) return;
    for (const [key, field] of Object.entries(value)) {
      const at = [...path, key];
      const needsString = schema.additionalProperties !== undefined || (typeName === 'EnvVar' && key === 'value');
      if (field === null && needsString) reportNull(at);
      else visit(field, fieldSchema(schema, key), at);
    }
  }

  function reportNull(path: readonly PathSegment[]): void {
    const written = sourceText(path) ?? '';
    const message = written === '' ? 'is empty, and a string is needed' : `${written} is null, and a string is needed`;
    report.error(path, { rule: 'QuotedValue', message, hint: `write ${JSON.stringify(written)}` });
  }
}
