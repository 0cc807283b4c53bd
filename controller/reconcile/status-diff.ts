import { isDeepStrictEqual } from 'node:util';
import type { StoredAgentStatus } from '../kube/objects.js';

/** Condition types that this controller owns; every other one is left alone. */
export const OWN_CONDITIONS: readonly string[] = [
  'PodReady',
  'SecretsResolved',
  'RBACSynced',
  'GatewaysReady',
  'ManifestsCurrent',
  'Ready',
  'Reconciling',
  'Stalled',
];

const OWN_FIELDS = [
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

type Fields = Readonly<Record<string, unknown>>;

/** The part of a status that is ours to apply: conditions of other owners would become ours if they were sent along. */
export function ownStatus(status: Fields): Fields {
  return { ...status, conditions: ownConditions(status) };
}

/** Whether writing `desired` would change what is stored, apart from the time of the last probe. */
export function differs(stored: StoredAgentStatus | undefined, desired: Fields): boolean {
  const former: Fields = stored ?? {};
  const isSame = OWN_FIELDS.every((field) => isDeepStrictEqual(comparable(former[field]), comparable(desired[field])));
  return !isSame || !isDeepStrictEqual(byType(former), byType(desired));
}

/** Absent and null are one thing to the API server; the time of a probe is not worth a write. */
function comparable(value: unknown): unknown {
  if (value === null) return undefined;
  if (!Array.isArray(value)) return value;
  return value.map((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null) return entry;
    return { ...entry, lastProbedAt: undefined };
  });
}

function ownConditions(status: Fields): readonly { readonly type: string }[] {
  const { conditions } = status;
  if (!Array.isArray(conditions)) return [];
  return conditions.filter((condition: { type?: unknown } | null): condition is { type: string } =>
    OWN_CONDITIONS.includes(String(condition?.type)),
  );
}

function byType(status: Fields): ReadonlyMap<string, unknown> {
  return new Map(ownConditions(status).map((condition) => [condition.type, condition]));
}
