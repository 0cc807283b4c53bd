import { isDeepStrictEqual } from 'node:util';
import type { StoredAgentStatus } from '../kube/objects.js';
import { OWN_FIELDS, ownConditions, type StatusFields } from '../kube/own-status.js';

/** Whether writing `desired` would change what is stored, apart from the time of the last probe. */
export function differs(stored: StoredAgentStatus | undefined, desired: StatusFields): boolean {
  const former: StatusFields = stored ?? {};
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

function byType(status: StatusFields): ReadonlyMap<string, unknown> {
  return new Map(ownConditions(status).map((condition) => [condition.type, condition]));
}
