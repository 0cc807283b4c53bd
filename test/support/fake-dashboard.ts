import { randomInt } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** How a dashboard answers one request. */
export type Answer = (request: http.IncomingMessage, response: http.ServerResponse) => void;

/** A server on the port of dashboards, at a loopback address of its own. */
export interface FakeDashboard {
  readonly address: string;
  readonly port: number;
  /** Method and path of every request so far. */
  readonly requests: readonly string[];
  /** Bytes that were taken from it since the last answer was set. */
  bytesSent(): number;
  answer: Answer;
  close(): Promise<void>;
}

/** An address of this machine that, most likely, nobody else uses. */
export function loopbackAddress(): string {
  return `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}`;
}

/** Answers with JSON. */
export const sayJson =
  (body: unknown, headers: http.OutgoingHttpHeaders = {}): Answer =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };

/** Answers with this status and body. */
export const say =
  (status: number, body: string | Buffer, headers: http.OutgoingHttpHeaders = {}): Answer =>
  (_, response) => {
    response.writeHead(status, headers);
    response.end(body);
  };

/** What `/api/status` says of a gateway with these platforms; more fields win. */
export function gatewayStatus(platforms: Readonly<Record<string, string>>, more: object = {}): object {
  const states = Object.entries(platforms).map(([name, state]) => [
    name,
    { state, error_code: null, error_message: null },
  ]);
  return {
    gateway_running: true,
    gateway_state: 'running',
    gateway_platforms: Object.fromEntries(states) as object,
    gateway_exit_reason: null,
    active_sessions: 2,
    restart_drain_timeout: 180,
    ...more,
  };
}

/** Starts a dashboard that answers 404 until it is told otherwise. */
export async function startDashboard(port: number, address = loopbackAddress()): Promise<FakeDashboard> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const server = http.createServer((request, response) => {
    requests.push(`${request.method ?? ''} ${request.url ?? ''}`);
    dashboard.answer(request, response);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, address, resolve);
  });
  const dashboard: FakeDashboard = {
    address,
    port: (server.address() as AddressInfo).port,
    requests,
    bytesSent: () => [...sockets].reduce((sum, socket) => sum + socket.bytesWritten, 0),
    answer: say(404, ''),
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => {
          resolve();
        });
      }),
  };
  return dashboard;
}
