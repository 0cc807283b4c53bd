import https from 'node:https';
import { Registry } from 'prom-client';
import { afterEach, describe, expect, it } from 'vitest';
import type { KubeApi, KubeRequest } from '../../../../controller/kube/client.js';
import { declareFamilies } from '../../../../controller/metrics/families.js';
import { serveMetrics } from '../../../../controller/metrics/metrics-server.js';
import type { ListeningServer } from '../../../../controller/http/server.js';

const open: ListeningServer[] = [];

/** Knows two tokens, and lets one of them read. */
function reviewer(requests: KubeRequest[]): KubeApi {
  return {
    now: () => 0,
    request: (request) => {
      requests.push(request);
      const { spec } = request.body as { spec: { token?: string; user?: string } };
      if (spec.token === 'broken') return Promise.reject(new Error('unreachable'));
      if (request.path.endsWith('tokenreviews')) {
        const isKnown = spec.token === 'prometheus' || spec.token === 'stranger';
        return Promise.resolve({ status: { authenticated: isKnown, user: { username: spec.token, groups: ['g'] } } });
      }
      return Promise.resolve({ status: { allowed: spec.user === 'prometheus' } });
    },
  };
}

async function get(port: number, authorization?: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const headers = authorization === undefined ? {} : { authorization };
    https
      .get({ host: '127.0.0.1', port, path: '/metrics', rejectUnauthorized: false, headers }, (response) => {
        let body = '';
        response.on('data', (chunk: Buffer) => (body += chunk.toString()));
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, body });
        });
      })
      .on('error', reject);
  });
}

async function start(requests: KubeRequest[] = [], api: KubeApi = reviewer(requests)): Promise<number> {
  const registry = new Registry();
  declareFamilies(registry).leader.set({ name: 'x' }, 1);
  const secure = { api };
  const server = await serveMetrics({
    address: { host: '127.0.0.1', port: 0 },
    registry,
    beforeScrape: () => undefined,
    secure,
  });
  open.push(server);
  return server.port;
}

describe('serveMetrics, secure', () => {
  afterEach(async () => {
    for (const server of open.splice(0)) await server.close();
  });

  it.each([
    { title: 'no token', authorization: undefined, want: 401 },
    { title: 'a password', authorization: 'Basic abc', want: 401 },
    { title: 'an unknown token', authorization: 'Bearer nobody', want: 401 },
    { title: 'a token without the right', authorization: 'Bearer stranger', want: 403 },
    { title: 'a token that nobody can judge', authorization: 'Bearer broken', want: 503 },
    { title: 'the right token', authorization: 'Bearer prometheus', want: 200 },
  ])('answers $want to $title', async ({ authorization, want }) => {
    const { status, body } = await get(await start(), authorization);
    expect(status).toBe(want);
    expect(body.includes('leader_election_master_status{name="x"} 1')).toBe(want === 200);
  });

  it('asks the API server once for many scrapes', async () => {
    const requests: KubeRequest[] = [];
    const port = await start(requests);
    for (let i = 0; i < 3; i++) await get(port, 'Bearer prometheus');
    expect(requests.map(({ path }) => path.split('/').at(-1))).toEqual(['tokenreviews', 'subjectaccessreviews']);
    expect(requests[1]?.body).toMatchObject({
      spec: { user: 'prometheus', groups: ['g'], nonResourceAttributes: { path: '/metrics', verb: 'get' } },
    });
  });

  it('lets strangers take up little of the API server, and nothing of those whom it knows', async () => {
    const requests: KubeRequest[] = [];
    const judge = reviewer(requests);
    let isSlow = false;
    const release: (() => void)[] = [];
    const api: KubeApi = {
      ...judge,
      request: async (request) => {
        const answer = judge.request(request);
        if (isSlow) await new Promise<void>((resolve) => release.push(resolve));
        return answer;
      },
    };
    const port = await start(requests, api);
    expect((await get(port, 'Bearer prometheus')).status).toBe(200);
    requests.length = 0;
    isSlow = true;
    const answers: number[] = [];
    const strangers = Array.from({ length: 300 }, async (_, index) => {
      answers.push((await get(port, `Bearer stranger-${index}`)).status);
    });
    await expect.poll(() => answers.length, { timeout: 10_000 }).toBe(300 - 64);
    expect(new Set(answers)).toEqual(new Set([503]));
    expect(requests).toHaveLength(2);
    expect((await get(port, 'Bearer prometheus')).status).toBe(200);

    isSlow = false;
    for (const resolve of release) resolve();
    await Promise.all(strangers);
    expect(answers.filter((status) => status === 401)).toHaveLength(64);
    for (let i = 0; i < 300; i++) await get(port, `Bearer late-${i}`);
    requests.length = 0;
    expect((await get(port, 'Bearer prometheus')).status).toBe(200);
    expect(requests).toEqual([]);
  });

  it('asks once for scrapes of one token that come together', async () => {
    const requests: KubeRequest[] = [];
    const port = await start(requests);
    const all = await Promise.all(Array.from({ length: 10 }, () => get(port, 'Bearer prometheus')));
    expect(all.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    expect(requests).toHaveLength(2);
  });
});
