import { createHash } from 'node:crypto';
import type { KubeApi } from '../kube/client.js';

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

/**
 * Asks the API server whether the bearer of a token may GET a path: TokenReview, then SubjectAccessReview. Answers are
 * kept for a minute under a hash of the token.
 */
export function scrapeAccess(api: KubeApi): (authorization: string | undefined, path: string) => Promise<Access> {
  const known = new Map<string, { readonly access: Access; readonly until: number }>();
  return async (authorization, path) => {
    const token = /^Bearer\s+(\S+)$/i.exec(authorization ?? '')?.[1];
    if (token === undefined) return 'unauthenticated';
    const key = createHash('sha256').update(`${path}\0${token}`).digest('base64');
    const cached = known.get(key);
    if (cached !== undefined && cached.until > performance.now()) return cached.access;
    let access: Access;
    try {
      access = await review(api, token, path);
    } catch {
      return 'unknown';
    }
    if (known.size >= MAX_CACHED) known.clear();
    known.set(key, { access, until: performance.now() + CACHE_MS });
    return access;
  };
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
