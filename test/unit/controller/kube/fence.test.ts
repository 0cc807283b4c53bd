import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { KubeRequest } from '../../../../controller/kube/client.js';
import { fenced } from '../../../../controller/kube/fence.js';

describe('fenced', () => {
  it('sends what changes nothing at any time, and changes only while they are allowed', async () => {
    const sent: string[] = [];
    const take = ({ method, path }: KubeRequest): Promise<string> => {
      sent.push(`${method} ${path}`);
      return Promise.resolve('answered');
    };
    const stream = async (request: KubeRequest): Promise<IncomingMessage> => {
      await take(request);
      return new IncomingMessage(new Socket());
    };
    let mayWrite = true;
    const client = fenced({ request: take, stream, open: stream, now: () => 7 }, () => mayWrite);
    const { signal } = new AbortController();

    expect(await client.request({ method: 'PATCH', path: '/a' })).toBe('answered');
    mayWrite = false;
    for (const method of ['PATCH', 'PUT', 'POST', 'DELETE'] as const) {
      await expect(client.request({ method, path: '/a' })).rejects.toThrow(
        `${method} /a: not sent, another process may lead by now`,
      );
    }
    expect(await client.request({ method: 'GET', path: '/b' })).toBe('answered');
    await client.stream({ method: 'GET', path: '/c' }, signal);
    await client.open({ method: 'GET', path: '/d' }, signal);
    expect(client.now()).toBe(7);
    expect(sent).toEqual(['PATCH /a', 'GET /b', 'GET /c', 'GET /d']);
  });
});
