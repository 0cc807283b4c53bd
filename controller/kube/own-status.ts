import { CONDITION_TYPES } from '../../lib/api/reasons.js';

/** Any status, stored or computed. */
export type StatusFields = Readonly<Record<string, unknown>>;

const OWN_CONDITIONS: readonly string[] = Object.values(CONDITION_TYPES);

/** Fields of an agent's status that the controller owns, beside its conditions. */
export const OWN_FIELDS = [
  'observedGeneration',
  'phase',
  'observedImage',
  'serviceAccountName',
  'podName',
  'restarts',
  'gateways',
  'gatewaySummary',
  'llmProvider',
  'activeSessions',
] as const;

/** The part of a status that is ours to apply: what others own would become ours, for good, if it were sent along. */
export function ownStatus(status: StatusFields): StatusFields {
  const fields = OWN_FIELDS.filter((field) => status[field] !== undefined).map((field) => [field, status[field]]);
  return { ...(Object.fromEntries(fields) as StatusFields), conditions: ownConditions(status) };
}

/** The conditions of a status that the controller owns; every other type is left alone. */
export function ownConditions(status: StatusFields): readonly { readonly type: string }[] {
  return conditionsOf(status).filter((condition): condition is { type: string } => isOwn(condition));
}

/**
 * A merge patch of a stored status to ours. It replaces lists and removes nothing by itself, so that it names the fields
 * that we no longer set, and repeats the conditions of others.
 */
export function ownStatusPatch(stored: StatusFields, status: StatusFields): StatusFields {
  const unset = OWN_FIELDS.filter((field) => stored[field] !== undefined).map((field) => [field, null]);
  const others = conditionsOf(stored).filter((condition) => !isOwn(condition));
  const own = ownStatus(status);
  return {
    ...(Object.fromEntries(unset) as StatusFields),
    ...own,
    conditions: [...others, ...ownConditions(own)],
  };
}

function conditionsOf(status: StatusFields): readonly unknown[] {
  const { conditions } = status;
  return Array.isArray(conditions) ? (conditions as readonly unknown[]) : [];
}

function isOwn(condition: unknown): boolean {
  return OWN_CONDITIONS.includes(String((condition as { type?: unknown } | null)?.type));
}
