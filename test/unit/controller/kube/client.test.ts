import { afterEach, describe, expect, it } from 'vitest';
import { KubeClient } from '../../../../controller/kube/client.js';
import { describeError, hasStatusCode, isExpired, KubeStatusError } from '../../../../controller/kube/errors.js';
import { secretReader } from '../../../../controller/kube/secret-reader.js';
import {
  clientOf,
  sendJson,
  sendStatus,
  startFakeApiServer,
  type FakeApiServer,
  type Misbehaviour,
} from '../../../support/fake-api-server.js';

const servers: FakeApiServer[] = [];

async function serve(behave: Misbehaviour): Promise<FakeApiServer> {
  const server = await startFakeApiServer(behave);
  servers.push(server);
  return server;
}

async function failureOf(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    () => new Error('did not fail'),
    (error: unknown) => error as Error,
  );
}

describe('KubeClient', () => {
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.stop();
  });

  it('sends a body and parses the answer', async () => {
    const server = await serve((request, response, body) => {
      sendJson(response, 200, { type: request.headers['content-type'], body: JSON.parse(body) as unknown });
    });
    const answer = await clientOf(server).request({
      method: 'PATCH',
      path: '/apis/x',
      query: { force: 'true' },
      contentType: 'application/apply-patch+yaml',
      body: { a: 1 },
    });
    expect(answer).toEqual({ type: 'application/apply-patch+yaml', body: { a: 1 } });
    expect(server.requests).toEqual(['PATCH /apis/x?force=true']);
  });

  it.each([
    { code: 404, reason: 'NotFound', isExpired: false },
    { code: 409, reason: 'Conflict', isExpired: false },
    { code: 410, reason: 'Expired', isExpired: true },
    { code: 422, reason: 'Invalid', isExpired: false },
  ])('rejects with the status code and the reason: $code', async (row) => {
    const server = await serve((_, response) => {
      sendStatus(response, row.code, row.reason);
    });
    const error = await failureOf(clientOf(server).request({ method: 'GET', path: '/x' }));
    expect(error).toBeInstanceOf(KubeStatusError);
    expect(hasStatusCode(error, row.code)).toBe(true);
    expect(isExpired(error)).toBe(row.isExpired);
    expect(describeError(error)).toBe(`${row.code} ${row.reason}: told so: ${row.reason}`);
  });

  it('makes an error of a page that some proxy wrote', async () => {
    const server = await serve((_, response) => {
      response.writeHead(502, { 'retry-after': '7' });
      response.end('<html>bad gateway</html>');
    });
    const error = await failureOf(clientOf(server).request({ method: 'GET', path: '/x' }));
    expect(error).toMatchObject({ name: 'KubeStatusError', statusCode: 502, reason: '', retryAfterMs: 7000 });
  });

  it.each<{ title: string; behave: Misbehaviour; message: string }>([
    { title: 'never answers', behave: () => undefined, message: 'GET /x: timed out' },
    {
      title: 'stops in the middle',
      behave: (_, response) => {
        response.writeHead(200, { 'content-length': 100 });
        response.write('{"half":');
      },
      message: 'GET /x: timed out',
    },
    {
      title: 'closes the connection',
      behave: (request) => request.socket.destroy(),
      message: 'GET /x: socket hang up',
    },
    {
      title: 'answers with something else',
      behave: (_, response) => response.end('hello'),
      message: 'answer to GET /x is no JSON',
    },
  ])('rejects when the server $title', async ({ behave, message }) => {
    const server = await serve(behave);
    const error = await failureOf(clientOf(server, { timeoutMs: 100 }).request({ method: 'GET', path: '/x' }));
    expect([error.name, error.message]).toEqual(['KubeConnectionError', message]);
  });

  it('reads the credentials again after 401', async () => {
    let token = 'old';
    const server = await serve((request, response) => {
      if (request.headers.authorization === 'Bearer new') sendJson(response, 200, {});
      else sendStatus(response, 401, 'Unauthorized');
    });
    const client = new KubeClient({
      server: server.url,
      credentials: () => Promise.resolve({ headers: { authorization: `Bearer ${token}` }, tls: {} }),
    });
    token = 'new';
    await client.request({ method: 'GET', path: '/x' });
    token = 'newer';
    // The old token is good until the server says no.
    await expect(client.request({ method: 'GET', path: '/x' })).resolves.toEqual({});
  });

  it('keeps one connection for many requests', async () => {
    const sockets = new Set<unknown>();
    const server = await serve((request, response) => {
      sockets.add(request.socket);
      sendJson(response, 200, {});
    });
    const client = clientOf(server);
    for (let i = 0; i < 5; i++) await client.request({ method: 'GET', path: '/x' });
    expect(sockets.size).toBe(1);
  });

  it('tells the server time', async () => {
    const server = await serve((_, response) => {
      response.setHeader('date', 'Thu, 01 Jan 2099 00:00:00 GMT');
      sendJson(response, 200, {});
    });
    const client = clientOf(server);
    await client.request({ method: 'GET', path: '/x' });
    expect(new Date(client.now()).toISOString().slice(0, 17)).toBe('2099-01-01T00:00:');
  });
});

describe('secretReader', () => {
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.stop();
  });

  it('keeps the names of the keys and no value', async () => {
    const server = await serve((_, response) => {
      sendJson(response, 200, { data: { token: 'czNjcjN0', other: '' } });
    });
    const observation = await secretReader(clientOf(server))({ namespace: 'lab', name: 'tokens' }, true);
    expect(observation).toEqual({ state: 'found', keys: new Set(['token', 'other']) });
    expect(server.requests).toEqual(['GET /api/v1/namespaces/lab/secrets/tokens']);
  });

  it('asks for metadata alone when no key is needed', async () => {
    let accept: string | undefined;
    const server = await serve((request, response) => {
      accept = request.headers.accept;
      sendJson(response, 200, { kind: 'PartialObjectMetadata', metadata: {} });
    });
    const observation = await secretReader(clientOf(server))({ namespace: 'lab', name: 'tokens' }, false);
    expect(observation).toEqual({ state: 'found', keys: new Set() });
    expect(accept).toBe('application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1');
  });

  it.each([
    { code: 404, reason: 'NotFound', want: { state: 'missing' } },
    { code: 403, reason: 'Forbidden', want: { state: 'unreadable', message: '403 Forbidden: told so: Forbidden' } },
    {
      code: 500,
      reason: 'InternalError',
      want: { state: 'unreadable', message: '500 InternalError: told so: InternalError' },
    },
  ])('tells a missing Secret from one that cannot be read: $code', async ({ code, reason, want }) => {
    const server = await serve((_, response) => {
      sendStatus(response, code, reason);
    });
    expect(await secretReader(clientOf(server))({ namespace: 'lab', name: 'tokens' }, true)).toEqual(want);
  });
});
