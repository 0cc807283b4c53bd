import { createHash } from 'node:crypto';
import type { KubeApi } from '../kube/client.js';
import { Lane } from '../timing/lane.js';

/** What a scrape is told: 200, 401 for an unknown token, 403 for a known one without the right, 503 when nobody knows. */
export type Access = 'allowed' | 'unauthenticated' | 'forbidden' | 'unknown';

const CACHE_MS = 60_000;
const MAX_CACHED = 256;

interface TokenReview {
  readonly status?: {
    readonly authenticated?: boolean;
    readonly user?: { readonly username?: string; readonly uid?: string; readonly groups?: readonly string[] };
  };
}

interface AccessReview {
  readonly status?: { readonly allowed?: boolean };
}

/** Whoever reaches the port can make the API server judge tokens; the work of the controller itself must not wait for that. */
const REVIEWS_AT_ONCE = 2;
const MAX_PENDING = 64;

interface Known {
  readonly access: Access;
  readonly until: number;
}

/**
 * Asks the API server whether the bearer of a token may GET a path: TokenReview, then SubjectAccessReview. Answers are
 * kept for a minute under a hash of the token.
 */
export function scrapeAccess(api: KubeApi): (authorization: string | undefined, path: string) => Promise<Access> {
  const known = new Map<string, Known>();
  const pending = new Map<string, Promise<Access>>();
  const lane = new Lane(REVIEWS_AT_ONCE);
  const ask = async (key: string, token: string, path: string): Promise<Access> => {
    try {
      const access = await lane.run(() => review(api, token, path));
      if (known.size >= MAX_CACHED) makeRoom(known);
      known.set(key, { access, until: performance.now() + CACHE_MS });
      return access;
    } catch {
      return 'unknown';
    } finally {
      pending.delete(key);
    }
  };
  return (authorization, path) => {
    const token = /^Bearer\s+(\S+)$/i.exec(authorization ?? '')?.[1];
    if (token === undefined) return Promise.resolve('unauthenticated');
    const key = createHash('sha256').update(`${path}\0${token}`).digest('base64');
    const cached = known.get(key);
    if (cached !== undefined && cached.until > performance.now()) return Promise.resolve(cached.access);
    const asked = pending.get(key);
    if (asked !== undefined) return asked;
    if (pending.size >= MAX_PENDING) return Promise.resolve('unknown');
    const asking = ask(key, token, path);
    pending.set(key, asking);
    return asking;
  };
}

/** Tokens that are let in stay known while others are tried out. */
function makeRoom(known: Map<string, Known>): void {
  for (const [key, { access }] of known) if (access !== 'allowed') known.delete(key);
  if (known.size >= MAX_CACHED) known.clear();
}

async function review(api: KubeApi, token: string, path: string): Promise<Access> {
  const { status } = (await api.request({
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/tokenreviews',
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } },
    timeoutMs: 5000,
  })) as TokenReview;
  if (status?.authenticated !== true) return 'unauthenticated';
  const { username, uid, groups } = status.user ?? {};
  const answer = (await api.request({
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: { user: username, uid, groups, nonResourceAttributes: { path, verb: 'get' } },
    },
    timeoutMs: 5000,
  })) as AccessReview;
  return answer.status?.allowed === true ? 'allowed' : 'forbidden';
}
