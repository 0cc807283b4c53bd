import type { JsonSchema } from '../json-schema.js';
import { QUANTITY_SCHEMA } from '../quantity-schema.js';

/** A schema as `/openapi/v3` serves it: any JSON object. */
type OpenApiSchema = Readonly<Record<string, unknown>>;

/** The `components.schemas` of the OpenAPI documents of one or more API groups, merged. */
export type OpenApiSchemas = Readonly<Record<string, OpenApiSchema>>;

/** Native types that our own schemas embed, by the last part of their OpenAPI name. What they refer to comes along. */
export const NATIVE_ROOTS = [
  'io.k8s.api.core.v1.Affinity',
  'io.k8s.api.core.v1.EnvFromSource',
  'io.k8s.api.core.v1.EnvVar',
  'io.k8s.api.core.v1.HostAlias',
  'io.k8s.api.core.v1.LocalObjectReference',
  'io.k8s.api.core.v1.PersistentVolumeClaimSpec',
  'io.k8s.api.core.v1.PodDNSConfig',
  'io.k8s.api.core.v1.PodSecurityContext',
  'io.k8s.api.core.v1.ResourceRequirements',
  'io.k8s.api.core.v1.SecurityContext',
  'io.k8s.api.core.v1.Toleration',
  'io.k8s.api.core.v1.TopologySpreadConstraint',
  'io.k8s.api.core.v1.Volume',
  'io.k8s.api.core.v1.VolumeMount',
  'io.k8s.api.networking.v1.NetworkPolicyEgressRule',
  'io.k8s.api.networking.v1.NetworkPolicyIngressRule',
  'io.k8s.apimachinery.pkg.apis.meta.v1.Condition',
] as const;

const REF_PREFIX = '#/components/schemas/';
const QUANTITY = 'io.k8s.apimachinery.pkg.api.resource.Quantity';
const INT_OR_STRING = 'io.k8s.apimachinery.pkg.util.intstr.IntOrString';
const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
const CONDITION = 'io.k8s.apimachinery.pkg.apis.meta.v1.Condition';

/** Kept as they are: the validation keywords that `/openapi/v3` uses, and the merge keys of server-side apply. */
const KEPT_KEYWORDS = [
  'type',
  'format',
  'enum',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
] as const;

const REPLACEMENTS: Readonly<Record<string, JsonSchema>> = {
  [QUANTITY]: QUANTITY_SCHEMA,
  [INT_OR_STRING]: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
  [OBJECT_META]: {
    type: 'object',
    properties: {
      labels: { type: 'object', additionalProperties: { type: 'string' } },
      annotations: { type: 'object', additionalProperties: { type: 'string' } },
    },
  },
  // No built-in API serves the type, so no OpenAPI document of the API server describes it.
  // https://github.com/kubernetes/apimachinery/blob/master/pkg/apis/meta/v1/types.go (type Condition)
  [CONDITION]: {
    type: 'object',
    required: ['type', 'status', 'lastTransitionTime', 'reason', 'message'],
    properties: {
      type: {
        type: 'string',
        maxLength: 316,
        pattern:
          '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$',
      },
      status: { type: 'string', enum: ['True', 'False', 'Unknown'] },
      observedGeneration: { type: 'integer', format: 'int64', minimum: 0 },
      lastTransitionTime: { type: 'string', format: 'date-time' },
      reason: {
        type: 'string',
        minLength: 1,
        maxLength: 1024,
        pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
      },
      message: { type: 'string', maxLength: 32768 },
    },
  },
};

/** The last part of an OpenAPI schema name: `io.k8s.api.core.v1.EnvVar` is `EnvVar`. */
function shortName(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

/**
 * Turns the API server's own schemas into ones that a CRD may hold: descriptions and patch hints dropped, `allOf` around
 * a single `$ref` unwrapped, Quantity as the API server's CRDs spell it. Defaults go too, because the document carries
 * `default: ""` on required names, which a CRD would store; only a list-map key keeps its default, since the API server
 * refuses a key that is neither required nor defaulted.
 *
 * Returns the roots and all that they refer to, sorted by name.
 */
export function nativeSchemas(openApi: OpenApiSchemas, roots: readonly string[]): Record<string, JsonSchema> {
  const found = new Map<string, JsonSchema>();
  const visit = (name: string): void => {
    if (found.has(shortName(name))) return;
    const replacement = REPLACEMENTS[name];
    if (replacement !== undefined) {
      found.set(shortName(name), replacement);
      return;
    }
    const source = openApi[name];
    if (source === undefined) throw new Error(`the OpenAPI documents do not hold ${name}`);
    found.set(shortName(name), {}); // A type that refers to itself would otherwise recurse without end.
    found.set(shortName(name), convert(source, visit));
  };
  roots.forEach(visit);
  return Object.fromEntries([...requireListMapKeys(found)].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function convert(source: OpenApiSchema, visit: (name: string) => void): JsonSchema {
  const ref = refOf(source);
  if (ref !== undefined) {
    visit(ref);
    return { $ref: `#/$defs/${shortName(ref)}` };
  }
  const kept = Object.fromEntries(KEPT_KEYWORDS.filter((key) => key in source).map((key) => [key, source[key]]));
  const properties = source['properties'] as Record<string, OpenApiSchema> | undefined;
  const items = source['items'] as OpenApiSchema | undefined;
  const additional = source['additionalProperties'] as OpenApiSchema | undefined;
  return {
    ...kept,
    ...(source['required'] !== undefined && { required: source['required'] as string[] }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, sub]) => [name, convert(sub, visit)])),
    }),
    ...(items && { items: convert(items, visit) }),
    ...(additional && { additionalProperties: convert(additional, visit) }),
  };
}

function refOf(source: OpenApiSchema): string | undefined {
  const allOf = source['allOf'] as readonly OpenApiSchema[] | undefined;
  if (allOf !== undefined && allOf.length !== 1) throw new Error('an allOf of several schemas is not handled');
  const ref = (allOf?.[0] ?? source)['$ref'] as string | undefined;
  return ref?.slice(REF_PREFIX.length);
}

/** The API server refuses a list-map whose keys may be absent. */
function requireListMapKeys(schemas: Map<string, JsonSchema>): Map<string, JsonSchema> {
  const result = new Map(schemas);
  for (const schema of schemas.values()) {
    for (const property of Object.values(schema.properties ?? {})) {
      const keys = property['x-kubernetes-list-map-keys'];
      const itemName = property.items?.$ref?.replace('#/$defs/', '');
      if (keys === undefined || itemName === undefined) continue;
      const item = result.get(itemName) ?? {};
      const undefaulted = keys.filter((key) => item.properties?.[key]?.default === undefined);
      result.set(itemName, { ...item, required: [...new Set([...(item.required ?? []), ...undefaulted])].sort() });
    }
  }
  return result;
}
