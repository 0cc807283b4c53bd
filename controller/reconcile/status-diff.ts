import { isDeepStrictEqual } from 'node:util';
import type { StoredStatus } from '../kube/objects.js';
import { ownConditions, type StatusFields, type StatusOwnership } from '../kube/own-status.js';

/** Whether writing `desired` would change what is stored, apart from the time of the last probe. */
export function differs(stored: StoredStatus | undefined, desired: StatusFields, owned: StatusOwnership): boolean {
  const former: StatusFields = stored ?? {};
  const isSame = owned.fields.every((field) =>
    isDeepStrictEqual(comparable(former[field]), comparable(desired[field])),
  );
  return !isSame || !isDeepStrictEqual(byType(former, owned), byType(desired, owned));
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

function byType(status: StatusFields, owned: StatusOwnership): ReadonlyMap<string, unknown> {
  return new Map(ownConditions(status, owned).map((condition) => [condition.type, condition]));
}
