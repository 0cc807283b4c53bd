import { describe, expect, it } from 'vitest';
import type { KubeApi } from '../../../../controller/kube/client.js';
import { KubeStatusError } from '../../../../controller/kube/errors.js';
import { LeaderElection } from '../../../../controller/kube/leader-election.js';

interface Lease {
  readonly metadata: { readonly resourceVersion: string };
  readonly spec: { readonly holderIdentity: string; readonly leaseTransitions?: number };
}

const fail = (statusCode: number): Promise<never> =>
  Promise.reject(new KubeStatusError({ statusCode, reason: '', message: 'no' }));

/** One Lease with the API server's optimistic lock. */
class LeaseServer implements KubeApi {
  lease: Lease | undefined;
  isDown = false;
  isSilent = false;
  #version = 0;

  now(): number {
    return Date.UTC(2026, 0, 1);
  }

  request: KubeApi['request'] = ({ method, body }) => {
    if (this.isSilent) return new Promise(() => undefined);
    if (this.isDown) return fail(500);
    if (method === 'GET') return this.lease === undefined ? fail(404) : Promise.resolve(this.lease);
    const written = body as Lease;
    if (
      method === 'POST'
        ? this.lease !== undefined
        : written.metadata.resourceVersion !== this.lease?.metadata.resourceVersion
    ) {
      return fail(409);
    }
    this.#version += 1;
    this.lease = { metadata: { ...written.metadata, resourceVersion: String(this.#version) }, spec: written.spec };
    return Promise.resolve(this.lease);
  };
}

function election(api: KubeApi, identity: string, renewDeadlineMs = 100): LeaderElection {
  const onError = (): void => undefined;
  return new LeaderElection({
    api,
    namespace: 'system',
    name: 'lock',
    identity,
    leaseMs: 200,
    renewDeadlineMs,
    retryMs: 20,
    onError,
  });
}

const never = new AbortController().signal;

describe('LeaderElection', () => {
  it('gives the lease to one of two', async () => {
    const server = new LeaseServer();
    const stop = new AbortController();
    const [a, b] = [election(server, 'a'), election(server, 'b')];
    expect(await a.acquire(never)).toBe(true);
    const kept = a.keep(stop.signal);
    const second = b.acquire(AbortSignal.timeout(500));
    expect(await second).toBe(false);
    expect(server.lease?.spec.holderIdentity).toBe('a');
    stop.abort();
    expect(await kept).toBe('stopped');
  });

  it('passes to the standby when the leader falls silent', async () => {
    const server = new LeaseServer();
    expect(await election(server, 'a').acquire(never)).toBe(true);
    expect(await election(server, 'b').acquire(AbortSignal.timeout(5000))).toBe(true);
    expect(server.lease?.spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
  });

  it('passes at once when the leader gives it back', async () => {
    const server = new LeaseServer();
    const a = election(server, 'a');
    await a.acquire(never);
    await a.release();
    expect(server.lease?.spec.holderIdentity).toBe('');
    expect(await election(server, 'b').acquire(AbortSignal.timeout(100))).toBe(true);
  });

  it('is lost to a leader that cannot renew', async () => {
    const server = new LeaseServer();
    const a = election(server, 'a');
    await a.acquire(never);
    server.isDown = true;
    expect(await a.keep(never)).toBe('lost');
  });

  it('is lost to a leader whose server does not answer, before anybody else may have it', async () => {
    const server = new LeaseServer();
    const a = election(server, 'a');
    await a.acquire(never);
    server.isSilent = true;
    expect(await a.keep(never)).toBe('lost');
    server.isSilent = false;
    expect(await election(server, 'b').acquire(AbortSignal.timeout(50))).toBe(false);
  });

  it('is lost at once to a leader that sees somebody else hold it', async () => {
    const server = new LeaseServer();
    const a = election(server, 'a', 60_000);
    await a.acquire(never);
    expect(a.isHeld).toBe(true);
    server.lease = { metadata: { resourceVersion: '9' }, spec: { holderIdentity: 'b' } };
    expect(await a.keep(never)).toBe('lost');
    expect(a.isHeld).toBe(false);
  });

  it('is held until the deadline passes without a renewal, though the process did not get to look', async () => {
    const a = election(new LeaseServer(), 'a');
    expect(a.isHeld).toBe(false);
    await a.acquire(never);
    expect(a.isHeld).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(a.isHeld).toBe(false);
  });

  it('is kept by a leader that is stopped while its server does not answer', async () => {
    const server = new LeaseServer();
    const stop = new AbortController();
    const a = election(server, 'a');
    await a.acquire(never);
    server.isSilent = true;
    setTimeout(() => {
      stop.abort();
    }, 50);
    expect(await a.keep(stop.signal)).toBe('stopped');
  });

  it('is not given back by one that does not hold it', async () => {
    const server = new LeaseServer();
    await election(server, 'a').acquire(never);
    await election(server, 'b').release();
    expect(server.lease?.spec.holderIdentity).toBe('a');
  });
});
