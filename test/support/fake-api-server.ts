import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { KubeClient, type KubeClientOptions } from '../../controller/kube/client.js';

/** Answers one request, well or badly. */
export type Misbehaviour = (request: http.IncomingMessage, response: http.ServerResponse, body: string) => void;

/** An HTTP server that stands in for an API server at its worst, on a real socket. */
export interface FakeApiServer {
  readonly url: URL;
  /** `METHOD path?query` of each request, in order. */
  readonly requests: string[];
  readonly bodies: string[];
  /** Connections that are open with an unfinished answer. */
  openWatches(): number;
  stop(): Promise<void>;
}

/** Starts a server whose every answer is up to `behave`. */
export async function startFakeApiServer(behave: Misbehaviour): Promise<FakeApiServer> {
  const requests: string[] = [];
  const bodies: string[] = [];
  const open = new Set<http.ServerResponse>();
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      requests.push(`${request.method ?? ''} ${request.url ?? ''}`);
      bodies.push(body);
      if (request.url?.includes('watch=1') === true) {
        open.add(response);
        response.on('close', () => open.delete(response));
      }
      behave(request, response, body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    requests,
    bodies,
    openWatches: () => open.size,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

/** A client of a fake server, without credentials. */
export function clientOf(server: FakeApiServer, options: KubeClientOptions = {}): KubeClient {
  const credentials = (): Promise<{ headers: object; tls: object }> => Promise.resolve({ headers: {}, tls: {} });
  return new KubeClient({ server: server.url, credentials: credentials as never }, options);
}

/** Sends a JSON answer. */
export function sendJson(response: http.ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/** Sends a failure as the API server words it. */
export function sendStatus(response: http.ServerResponse, code: number, reason: string): void {
  sendJson(response, code, { kind: 'Status', status: 'Failure', code, reason, message: `told so: ${reason}` });
}
