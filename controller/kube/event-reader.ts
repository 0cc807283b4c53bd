import type { KubeApi } from './client.js';
import { hasStatusCode } from './errors.js';
import { collectionPath, RESOURCES } from './resources.js';

/** The parts of a stored event that are read. */
export interface StoredEvent {
  readonly eventTime?: string | null;
  readonly deprecatedLastTimestamp?: string | null;
  readonly metadata?: { readonly creationTimestamp?: string };
  readonly reportingController?: string;
  readonly note?: string;
  readonly regarding?: { readonly uid?: string };
}

/** Which events are wanted: by field selectors of the API server. */
export interface EventSelection {
  readonly namespace: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** Reads events, the latest first; undefined where they may not be read. */
export type ReadEvents = (selection: EventSelection) => Promise<readonly StoredEvent[] | undefined>;

/** {@link ReadEvents} on the API server. */
export function eventReader(api: KubeApi): ReadEvents {
  return async ({ namespace, fields }) => {
    const fieldSelector = Object.entries(fields)
      .map(([field, value]) => `${field}=${value}`)
      .join(',');
    try {
      const list = (await api.request({
        method: 'GET',
        path: collectionPath(RESOURCES.events, namespace),
        query: { fieldSelector },
        timeoutMs: 10_000,
      })) as { readonly items?: readonly StoredEvent[] | null } | undefined;
      return [...(list?.items ?? [])].sort((a, b) => timeOf(b) - timeOf(a));
    } catch (error) {
      if (hasStatusCode(error, 403)) return undefined;
      throw error;
    }
  };
}

/** When an event was, in milliseconds; 0 where it does not say. */
export function timeOf(event: StoredEvent): number {
  const text = event.deprecatedLastTimestamp ?? event.eventTime ?? event.metadata?.creationTimestamp ?? '';
  const time = Date.parse(text);
  return Number.isNaN(time) ? 0 : time;
}
