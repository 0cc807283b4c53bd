/**
 * The part of JSON Schema that a structural CRD schema may use, plus the Kubernetes extensions that this project needs.
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
 */
export interface JsonSchema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly nullable?: boolean;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  /** A name in the native definitions, as `#/$defs/<Name>`. Inlined before anything leaves this project. */
  readonly $ref?: string;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular';
  readonly 'x-kubernetes-preserve-unknown-fields'?: true;
  readonly 'x-kubernetes-validations'?: readonly CelRule[];
}

/** One CEL rule of a CRD, as `x-kubernetes-validations` holds it. `self` is the value at the rule's own level. */
export interface CelRule {
  readonly rule: string;
  readonly message?: string;
  /** A CEL expression that yields the message; the API server prefers it over `message`. */
  readonly messageExpression?: string;
  readonly reason?: 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate';
  readonly fieldPath?: string;
}

/** Replaces every `$ref` by what it names, so that the result stands alone. Throws on a name that is not defined. */
export function inlineRefs(schema: JsonSchema, defs: Readonly<Record<string, JsonSchema>>): JsonSchema {
  if (schema.$ref !== undefined) {
    const { $ref, ...siblings } = schema;
    const name = $ref.replace('#/$defs/', '');
    const target = defs[name];
    if (target === undefined) throw new Error(`no native schema is named ${name}`);
    return inlineRefs({ ...target, ...siblings }, defs);
  }
  return mapSubschemas(schema, (sub) => inlineRefs(sub, defs));
}

/** A copy of `schema` in which each direct subschema went through `change`. */
export function mapSubschemas(schema: JsonSchema, change: (sub: JsonSchema) => JsonSchema): JsonSchema {
  const properties =
    schema.properties &&
    Object.fromEntries(Object.entries(schema.properties).map(([name, sub]) => [name, change(sub)]));
  return {
    ...schema,
    ...(properties && { properties }),
    ...(schema.items && { items: change(schema.items) }),
    ...(schema.additionalProperties && { additionalProperties: change(schema.additionalProperties) }),
  };
}
