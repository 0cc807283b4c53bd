import type { JsonSchema } from './json-schema.js';

/** A native Kubernetes type, embedded whole. */
export function native(name: string, extra: JsonSchema = {}): JsonSchema {
  return { $ref: `#/$defs/${name}`, ...extra };
}

/** A list with merge keys: server-side apply merges by them and the API server refuses two items of one key. */
export function listMap(
  items: JsonSchema,
  keys: readonly string[],
  maxItems: number,
  description?: string,
): JsonSchema {
  return {
    type: 'array',
    ...(description !== undefined && { description }),
    maxItems,
    items,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': keys,
  };
}

/** A list that is replaced as a whole. */
export function list(items: JsonSchema, maxItems: number, description?: string): JsonSchema {
  return {
    type: 'array',
    ...(description !== undefined && { description }),
    maxItems,
    items,
    'x-kubernetes-list-type': 'atomic',
  };
}

/** A map of strings. */
export function stringMap(description: string, values: JsonSchema = { type: 'string' }): JsonSchema {
  return { type: 'object', description, additionalProperties: values };
}
