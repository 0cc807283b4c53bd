import type { SecretObservation } from '../status/observed.js';
import type { KubeApi } from './client.js';
import { describeError, hasStatusCode } from './errors.js';
import { METADATA_ONLY } from './list.js';
import { objectPath, RESOURCES } from './resources.js';

/** Reads one Secret; never rejects. Without `needsKeys` no value even leaves the API server. */
export type ReadSecret = (
  secret: { readonly namespace: string; readonly name: string },
  needsKeys: boolean,
) => Promise<SecretObservation>;

/** Reads Secrets with GET, and keeps nothing of them but the names of their keys. */
export function secretReader(api: KubeApi): ReadSecret {
  return async (secret, needsKeys) => {
    try {
      const answer = await api.request({
        method: 'GET',
        path: objectPath(RESOURCES.secrets, secret),
        ...(needsKeys ? {} : { accept: METADATA_ONLY }),
      });
      const { data } = (answer ?? {}) as { readonly data?: object | null };
      return { state: 'found', keys: new Set(Object.keys(data ?? {})) };
    } catch (error) {
      return hasStatusCode(error, 404) ? { state: 'missing' } : { state: 'unreadable', message: describeError(error) };
    }
  };
}
