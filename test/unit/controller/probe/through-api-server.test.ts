import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { KubeClient } from '../../../../controller/kube/client.js';
import { askThroughApiServer } from '../../../../controller/probe/exchange.js';
import { failureText } from '../../../../controller/probe/failure.js';
import type { ProbeTarget } from '../../../../controller/probe/target.js';
import { gatewayStatus, say, sayJson, startDashboard, type FakeDashboard } from '../../../support/fake-dashboard.js';

const TARGET: ProbeTarget = {
  agent: {
    metadata: { name: 'mina', namespace: 'lab', uid: 'u1', resourceVersion: '1', creationTimestamp: '' },
    spec: {},
  },
  gateways: [],
  pod: { uid: 'p1', name: 'hermes-mina-1-x', createdAt: 0, isReady: true, address: '10.1.2.3' },
};
const GOOD = gatewayStatus({ discord: 'connected' });

describe('askThroughApiServer', () => {
  let apiServer: FakeDashboard;
  let client: KubeClient;
  let tokens: number;

  beforeAll(async () => {
    apiServer = await startDashboard(0);
  });

  beforeEach(() => {
    tokens = 0;
    client = new KubeClient({
      server: new URL(`http://${apiServer.address}:${apiServer.port}`),
      credentials: () => {
        tokens++;
        return Promise.resolve({ headers: { authorization: 'Bearer secret' }, tls: {} });
      },
    });
  });

  afterAll(async () => {
    await apiServer.close();
  });

  const ask = (signal = AbortSignal.timeout(10_000)): Promise<string> => askThroughApiServer(client)(TARGET, signal);

  it('asks the proxy of the pod', async () => {
    apiServer.answer = sayJson(GOOD);
    expect(JSON.parse(await ask())).toEqual(GOOD);
    expect(apiServer.requests.at(-1)).toBe('GET /api/v1/namespaces/lab/pods/hermes-mina-1-x%3A9119/proxy/api/status');
  });

  it.each([302, 401, 403, 500, 503])('takes status %i for no answer, and asks once', async (status) => {
    apiServer.answer = say(status, '{}', { location: 'http://169.254.169.254/' });
    const asked = apiServer.requests.length;
    await expect(ask()).rejects.toThrow(`it answered with status ${status}`);
    expect(apiServer.requests.length).toBe(asked + 1);
  });

  it('reads no more than 64 KiB, of an error neither', async () => {
    apiServer.answer = say(200, Buffer.alloc(8 << 20, 32));
    await expect(ask()).rejects.toThrow('its answer is larger than 64 KiB');
    apiServer.answer = say(500, Buffer.alloc(64 << 20, 32));
    await expect(ask()).rejects.toThrow('it answered with status 500');
  });

  it.each([
    [
      'a chunk for each byte',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n',
      '1\r\n \r\n',
      'is larger than 64 KiB',
    ],
    ['hints without end', '', 'HTTP/1.1 103 Early Hints\r\n\r\n', 'it answered with status 103'],
  ])('reads no more than that of %s', async (_, head, again, want) => {
    apiServer.answer = ({ socket }) => socket.write(head + again.repeat(50_000));
    const why = await ask().catch(failureText);
    expect(why).toContain(want);
  });

  it('counts the bytes of each answer on a connection that is kept', async () => {
    apiServer.answer = sayJson({ ...GOOD, extra: 'x'.repeat(50_000) });
    for (let asked = 0; asked < 5; asked++) expect(JSON.parse(await ask())).toMatchObject(GOOD);
  });

  it('ends with its signal', async () => {
    apiServer.answer = () => undefined;
    await expect(ask(AbortSignal.timeout(50))).rejects.toThrow();
  });

  it('believes nothing that a pod says: not its time, and not that the token is no good', async () => {
    apiServer.answer = say(401, '', { date: 'Tue, 01 Jan 2036 00:00:00 GMT' });
    await expect(ask()).rejects.toThrow('it answered with status 401');
    await expect(ask()).rejects.toThrow('it answered with status 401');
    expect(Math.abs(client.now() - Date.now())).toBeLessThan(60_000);
    expect(tokens).toBe(1);
  });
});
