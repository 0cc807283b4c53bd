import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeConnection } from '../cluster/client.js';

/** A request that came by. */
export interface ProxiedRequest {
  readonly method: string;
  readonly path: string;
  readonly isWatch: boolean;
}

/** A proxy between a controller and its API server that goes wrong when it is told to. */
export interface FaultyProxy {
  /** A kubeconfig that leads through the proxy. */
  readonly kubeconfig: string;
  /** Every request, in order. */
  readonly requests: ProxiedRequest[];
  /** Lets nothing through any more, on the connections that are open and on new ones, and closes none. */
  stall(): void;
  /** New connections work again; the stalled ones stay as they are. */
  resume(): void;
  stop(): Promise<void>;
}

/** Where a test steps in. */
export interface ProxyHooks {
  /** The API server does not know of the request yet. */
  readonly onRequest?: (request: ProxiedRequest) => Promise<void> | void;
  /** The API server has answered, and the controller does not know it yet. */
  readonly onAnswer?: (request: ProxiedRequest, statusCode: number) => Promise<void> | void;
}

/** Starts a proxy to an API server. */
export async function startFaultyProxy(connection: KubeConnection, hooks: ProxyHooks = {}): Promise<FaultyProxy> {
  const directory = mkdtempSync(join(tmpdir(), 'hermes-gitops-proxy-'));
  const requests: ProxiedRequest[] = [];
  const agent = new https.Agent({ keepAlive: true, ca: connection.ca });
  const sockets = new Set<Socket>();
  const dead = new Set<Socket>();
  let isStalled = false;
  const forward = (request: http.IncomingMessage, response: http.ServerResponse, proxied: ProxiedRequest): void => {
    const isDead = (): boolean => dead.has(request.socket);
    const sever = (): void => {
      if (!isDead()) response.destroy();
    };
    const passOn = async (answer: http.IncomingMessage): Promise<void> => {
      await hooks.onAnswer?.(proxied, answer.statusCode ?? 0);
      if (isDead()) return;
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on('error', sever);
      answer.on('data', (chunk: Buffer) => {
        if (!isDead()) response.write(chunk);
      });
      answer.on('end', () => {
        if (!isDead()) response.end();
      });
    };
    const url = new URL(request.url ?? '', connection.server);
    const headers = headersFor(request, connection);
    const forwarded = https.request(url, { method: proxied.method, headers, agent });
    forwarded.on('response', (answer) => void passOn(answer).catch(sever));
    forwarded.on('error', sever);
    response.on('close', () => forwarded.destroy());
    request.pipe(forwarded);
  };
  const server = http.createServer((request, response) => {
    const proxied = describe(request);
    requests.push(proxied);
    if (dead.has(request.socket)) return;
    void Promise.resolve(hooks.onRequest?.(proxied)).then(() => {
      forward(request, response, proxied);
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    if (isStalled) dead.add(socket);
    socket.on('close', () => {
      sockets.delete(socket);
      dead.delete(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const kubeconfig = join(directory, 'kubeconfig');
  writeFileSync(kubeconfig, JSON.stringify(configuration((server.address() as AddressInfo).port)));
  return {
    kubeconfig,
    requests,
    stall: () => {
      isStalled = true;
      for (const socket of sockets) dead.add(socket);
    },
    resume: () => {
      isStalled = false;
    },
    stop: () =>
      new Promise((resolve) => {
        agent.destroy();
        rmSync(directory, { recursive: true, force: true });
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

function describe(request: http.IncomingMessage): ProxiedRequest {
  const url = new URL(request.url ?? '', 'http://proxy');
  return { method: request.method ?? '', path: url.pathname, isWatch: url.searchParams.has('watch') };
}

function headersFor(request: http.IncomingMessage, connection: KubeConnection): http.OutgoingHttpHeaders {
  const kept = Object.entries(request.headers).filter(([name]) => !['host', 'connection'].includes(name));
  return { ...Object.fromEntries(kept), authorization: `Bearer ${connection.token}` };
}

function configuration(port: number): object {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'proxy', cluster: { server: `http://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'proxy', user: {} }],
    contexts: [{ name: 'proxy', context: { cluster: 'proxy', user: 'proxy' } }],
    'current-context': 'proxy',
  };
}
