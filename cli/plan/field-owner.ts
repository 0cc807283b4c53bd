import { isObject } from '../../lib/api/canonical-json.js';
import { ANNOTATIONS, FIELD_MANAGER } from '../../lib/api/identity.js';

/** Field manager of a dry run where nobody applied the object before. */
export const PLAN_MANAGER = 'hermes-gitops-plan';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** An entry of `metadata.managedFields`, as far as it is read here. */
interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly fieldsV1?: unknown;
}

interface LiveObject {
  readonly metadata: {
    readonly managedFields?: readonly ManagedFields[];
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/**
 * The name under which the engine applies an object. Only a dry run under that name lets go of the fields that are not
 * rendered any more.
 */
export function applyManager({ metadata }: LiveObject): string {
  const appliers = (metadata.managedFields ?? []).filter(
    ({ operation, subresource = '', manager }) =>
      operation === 'Apply' && subresource === '' && manager !== FIELD_MANAGER,
  );
  const owner =
    appliers.find(({ fieldsV1 }) => owns(fieldsV1, ['f:metadata', 'f:annotations', `f:${ANNOTATIONS.specDigest}`])) ??
    // An agent itself carries no digest.
    appliers.find(({ fieldsV1 }) => owns(fieldsV1, ['f:spec', 'f:image']));
  return owner?.manager ?? PLAN_MANAGER;
}

function owns(fields: unknown, path: readonly string[]): boolean {
  return path.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), fields) !== undefined;
}

/** What a client-side apply wrote last, when that is how the object is applied. */
export function lastApplied({ metadata }: LiveObject): unknown {
  const text = metadata.annotations?.[LAST_APPLIED];
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * `value` without what stands in `applied` and no more in `rendered`: what a client-side apply would take away. Items of a
 * list are told apart by name; lists without names are replaced whole by an apply and need no care.
 */
export function withoutRemoved(value: unknown, applied: unknown, rendered: unknown): unknown {
  if (isObject(value) && isObject(applied) && isObject(rendered)) {
    const entries = Object.entries(value).filter(([key]) => !isRemoved(key, applied, rendered));
    return Object.fromEntries(entries.map(([key, inner]) => [key, withoutRemoved(inner, applied[key], rendered[key])]));
  }
  const lists = [value, applied, rendered].map(byName);
  const [items, former, wanted] = lists;
  if (items === undefined || former === undefined || wanted === undefined) return value;
  return [...items]
    .filter(([name]) => !former.has(name) || wanted.has(name))
    .map(([name, item]) => withoutRemoved(item, former.get(name), wanted.get(name)));
}

/** `rendered` with all that `live` has beside it, at every depth. Items of a list are told apart by name. */
export function filled(live: unknown, rendered: unknown): unknown {
  if (isObject(live) && isObject(rendered)) {
    const entries = Object.entries(rendered).map(([key, inner]) => [key, filled(live[key], inner)]);
    return { ...live, ...Object.fromEntries(entries) };
  }
  const [items, wanted] = [byName(live), byName(rendered)];
  if (items === undefined || wanted === undefined) return rendered;
  return [...wanted].map(([name, item]) => filled(items.get(name), item));
}

function isRemoved(
  key: string,
  applied: Readonly<Record<string, unknown>>,
  rendered: Readonly<Record<string, unknown>>,
): boolean {
  return applied[key] !== undefined && rendered[key] === undefined;
}

function byName(list: unknown): ReadonlyMap<string, unknown> | undefined {
  if (!Array.isArray(list)) return undefined;
  const named = list.map((item): [unknown, unknown] => [isObject(item) ? item['name'] : undefined, item]);
  return named.every((entry): entry is [string, unknown] => typeof entry[0] === 'string') ? new Map(named) : undefined;
}
