/** Any status, stored or computed. */
export type StatusFields = Readonly<Record<string, unknown>>;

/** The part of a kind's status that the controller owns. */
export interface StatusOwnership {
  /** Fields beside the conditions. */
  readonly fields: readonly string[];
  readonly conditionTypes: readonly string[];
}

/** The part of a status that is ours to apply: what others own would become ours, for good, if it were sent along. */
export function ownStatus(status: StatusFields, owned: StatusOwnership): StatusFields {
  const fields = owned.fields.filter((field) => status[field] !== undefined).map((field) => [field, status[field]]);
  return { ...(Object.fromEntries(fields) as StatusFields), conditions: ownConditions(status, owned) };
}

/** The conditions of a status that the controller owns; every other type is left alone. */
export function ownConditions(status: StatusFields, owned: StatusOwnership): readonly { readonly type: string }[] {
  return conditionsOf(status).filter((condition): condition is { type: string } => isOwn(condition, owned));
}

/**
 * A merge patch of a stored status to ours. It replaces lists and removes nothing by itself, so that it names the fields
 * that we no longer set, and repeats the conditions of others.
 */
export function ownStatusPatch(stored: StatusFields, status: StatusFields, owned: StatusOwnership): StatusFields {
  const unset = owned.fields.filter((field) => stored[field] !== undefined).map((field) => [field, null]);
  const others = conditionsOf(stored).filter((condition) => !isOwn(condition, owned));
  const own = ownStatus(status, owned);
  return {
    ...(Object.fromEntries(unset) as StatusFields),
    ...own,
    conditions: [...others, ...ownConditions(own, owned)],
  };
}

function conditionsOf(status: StatusFields): readonly unknown[] {
  const { conditions } = status;
  return Array.isArray(conditions) ? (conditions as readonly unknown[]) : [];
}

function isOwn(condition: unknown, { conditionTypes }: StatusOwnership): boolean {
  return conditionTypes.includes(String((condition as { type?: unknown } | null)?.type));
}
