import http from 'node:http';
import https from 'node:https';
import type { Connection, Credentials } from './connection.js';
import { KubeConnectionError, statusError } from './errors.js';
import { readJoined } from './joined-bytes.js';
import type { Trim } from './managed-fields.js';
import { ServerClock } from './server-clock.js';

/** One request to the API server. */
export interface KubeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  readonly trim?: Trim;
  readonly signal?: AbortSignal;
  /** For the whole exchange. */
  readonly timeoutMs?: number;
  /** Sees the request before anything of its answer has come, to watch what does. */
  readonly onSent?: (sent: http.ClientRequest) => void;
}

/** What the rest of the controller uses of {@link KubeClient}; tests stand in for it. */
export interface KubeApi {
  /** Sends a request and parses the answer; rejects with the error classes of errors.ts. */
  request(request: KubeRequest): Promise<unknown>;
  /** Server time. */
  now(): number;
}

/** Limits of a client; the defaults are for production. */
export interface KubeClientOptions {
  /** For a whole exchange: a write that hangs must not hold its agent for longer. */
  readonly timeoutMs?: number;
  readonly userAgent?: string;
  readonly maxSockets?: number;
}

interface Transport {
  readonly credentials: Credentials;
  readonly identity: string;
  readonly requests: http.Agent;
  readonly streams: http.Agent;
}

const CREDENTIALS_TTL_MS = 30_000;

/**
 * A raw JSON client over keep-alive connections. Generated clients cost several times the memory and CPU: they copy each
 * object into a model, and turn dates into Date on list but not on watch.
 */
export class KubeClient implements KubeApi {
  readonly #connection: Connection;
  readonly #options: KubeClientOptions;
  readonly #clock = new ServerClock();
  #transport: Transport | undefined;
  #refreshing: Promise<Transport> | undefined;
  #readAt = -Infinity;

  constructor(connection: Connection, options: KubeClientOptions = {}) {
    this.#connection = connection;
    this.#options = options;
  }

  now(): number {
    return this.#clock.now();
  }

  async request(request: KubeRequest): Promise<unknown> {
    const limit = AbortSignal.timeout(request.timeoutMs ?? this.#options.timeoutMs ?? 30_000);
    const signal = request.signal === undefined ? limit : AbortSignal.any([request.signal, limit]);
    let text: string;
    try {
      const response = await this.#send(request, signal, 'requests');
      text = await readText(response, request.trim);
    } catch (error) {
      if (!limit.aborted) throw error;
      this.#dropIdleSockets();
      throw new KubeConnectionError(`${request.method} ${request.path}: timed out`, { cause: error });
    }
    if (text === '') return undefined;
    try {
      return JSON.parse(text);
    } catch (cause) {
      throw new KubeConnectionError(`answer to ${request.method} ${request.path} is no JSON`, { cause });
    }
  }

  /** Opens an answer that goes on without end; the caller reads and destroys it. Rejects like `request`. */
  stream(request: KubeRequest, signal: AbortSignal): Promise<http.IncomingMessage> {
    return this.#send(request, signal, 'streams');
  }

  /**
   * Opens an answer that somebody behind the API server gives: whatever its status, and nothing in it is believed. The
   * caller reads or destroys it.
   */
  async open(request: KubeRequest, signal: AbortSignal): Promise<http.IncomingMessage> {
    return this.#exchange(request, signal, await this.#currentTransport(), 'streams');
  }

  /** Closes every connection. */
  close(): void {
    this.#transport?.requests.destroy();
    this.#transport?.streams.destroy();
  }

  async #send(request: KubeRequest, signal: AbortSignal, pool: 'requests' | 'streams'): Promise<http.IncomingMessage> {
    const transport = await this.#currentTransport();
    const sentAt = this.#clock.mark();
    const response = await this.#exchange(request, signal, transport, pool);
    const statusCode = response.statusCode ?? 0;
    this.#clock.observe(response.headers.date, sentAt);
    if (statusCode >= 200 && statusCode < 300) return response;
    // The token may have been replaced since it was read.
    if (statusCode === 401) this.#readAt = -Infinity;
    throw statusError(statusCode, await readText(response), response.headers['retry-after']);
  }

  #exchange(
    request: KubeRequest,
    signal: AbortSignal,
    transport: Transport,
    pool: 'requests' | 'streams',
  ): Promise<http.IncomingMessage> {
    const url = new URL(this.#connection.server.pathname.replace(/\/$/, '') + request.path, this.#connection.server);
    for (const [key, value] of Object.entries(request.query ?? {})) url.searchParams.set(key, value);
    const body = request.body === undefined ? undefined : Buffer.from(JSON.stringify(request.body));
    const options: https.RequestOptions = {
      method: request.method,
      agent: transport[pool],
      signal,
      headers: {
        ...transport.credentials.headers,
        accept: request.accept ?? 'application/json',
        'user-agent': this.#options.userAgent ?? 'hermes-gitops-controller',
        ...(body === undefined
          ? {}
          : { 'content-type': request.contentType ?? 'application/json', 'content-length': body.length }),
      },
    };
    return new Promise((resolve, reject) => {
      const sent = url.protocol === 'http:' ? http.request(url, options) : https.request(url, options);
      sent.on('socket', (socket) => socket.setKeepAlive(true, 30_000));
      sent.on('response', resolve);
      request.onSent?.(sent);
      sent.on('error', (cause) => {
        reject(connectionError(`${request.method} ${request.path}`, cause));
      });
      sent.end(body);
    });
  }

  async #currentTransport(): Promise<Transport> {
    if (this.#transport !== undefined && performance.now() - this.#readAt < CREDENTIALS_TTL_MS) return this.#transport;
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #refresh(): Promise<Transport> {
    let credentials: Credentials;
    try {
      credentials = await this.#connection.credentials();
    } catch (cause) {
      throw connectionError('credentials cannot be read', cause);
    }
    const identity = JSON.stringify(credentials.tls);
    const former = this.#transport;
    this.#readAt = performance.now();
    if (former?.identity === identity) {
      this.#transport = { ...former, credentials };
      return this.#transport;
    }
    const make = (maxSockets: number): http.Agent => {
      if (credentials.proxyAgent !== undefined) return credentials.proxyAgent;
      const settings = { keepAlive: true, maxSockets, ...credentials.tls };
      return this.#connection.server.protocol === 'http:' ? new http.Agent(settings) : new https.Agent(settings);
    };
    this.#transport = {
      credentials,
      identity,
      requests: make(this.#options.maxSockets ?? 32),
      streams: make(Infinity),
    };
    return this.#transport;
  }

  /** After a time-out the other idle connections are most likely dead too; using them would cost a time-out each. */
  #dropIdleSockets(): void {
    for (const sockets of Object.values(this.#transport?.requests.freeSockets ?? {})) {
      for (const socket of sockets ?? []) socket.destroy();
    }
  }
}

/** Reads an answer to its end. */
async function readText(response: http.IncomingMessage, trim: Trim = (bytes) => bytes): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of response) chunks.push(chunk as Buffer);
  } catch (cause) {
    throw connectionError('answer was cut off', cause);
  }
  return readJoined(chunks, (bytes) => trim(bytes).toString('utf8'));
}

function connectionError(what: string, cause: unknown): KubeConnectionError {
  const detail = cause instanceof Error ? cause.message : String(cause);
  return new KubeConnectionError(`${what}: ${detail}`, { cause });
}
