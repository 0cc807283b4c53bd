import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { BindAddress } from './bind-address.js';

/** An answer to a GET. */
export interface PlainAnswer {
  readonly status: number;
  readonly contentType?: string;
  readonly body: string;
}

/** Paths and what they answer. */
export type Routes = Readonly<Record<string, (request: http.IncomingMessage) => Promise<PlainAnswer> | PlainAnswer>>;

/** A server that listens. */
export interface ListeningServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Serves GET and HEAD of some paths; with `tls` over HTTPS. Rejects when the address cannot be had. */
export async function serve(
  address: BindAddress,
  routes: Routes,
  tls?: https.ServerOptions,
): Promise<ListeningServer & { readonly setTls: (context: { key: string; cert: string }) => void }> {
  const listener = (request: http.IncomingMessage, response: http.ServerResponse): void => {
    void answer(routes, request, response);
  };
  const settings = { requestTimeout: 30_000, headersTimeout: 10_000, keepAliveTimeout: 75_000 };
  const server =
    tls === undefined
      ? http.createServer(settings, listener)
      : https.createServer({ ...settings, minVersion: 'TLSv1.2', ...tls }, listener);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port: address.port, ...(address.host === undefined ? {} : { host: address.host }) }, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    setTls: (context) => {
      if (server instanceof https.Server) server.setSecureContext(context);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

async function answer(routes: Routes, request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
  let result: PlainAnswer;
  try {
    result = await route(routes, request);
  } catch {
    result = { status: 500, body: 'internal error\n' };
  }
  const body = Buffer.from(result.body, 'utf8');
  response.writeHead(result.status, {
    'content-type': result.contentType ?? 'text/plain; charset=utf-8',
    'content-length': body.length,
    'x-content-type-options': 'nosniff',
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

function route(routes: Routes, request: http.IncomingMessage): Promise<PlainAnswer> | PlainAnswer {
  const path = (request.url ?? '').split('?')[0] ?? '';
  const handle = Object.hasOwn(routes, path) ? routes[path] : undefined;
  if (handle === undefined) return { status: 404, body: 'not found\n' };
  if (request.method !== 'GET' && request.method !== 'HEAD') return { status: 405, body: 'method not allowed\n' };
  return handle(request);
}
