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
  const { conditions } = status;
  if (!Array.isArray(conditions)) return [];
  return conditions.filter((condition: { type?: unknown } | null): condition is { type: string } =>
    OWN_CONDITIONS.includes(String(condition?.type)),
  );
}
