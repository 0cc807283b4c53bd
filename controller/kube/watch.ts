import type { IncomingMessage } from 'node:http';
import { KubeConnectionError, statusError } from './errors.js';
import { METADATA_ONLY, selectionQuery, type Selection } from './list.js';
import { readJoined } from './joined-bytes.js';
import { trimOf, type Trim } from './managed-fields.js';
import { collectionPath } from './resources.js';
import type { KubeRequest } from './client.js';

/** What a watch needs of the client. */
export interface StreamApi {
  stream(request: KubeRequest, signal: AbortSignal): Promise<IncomingMessage>;
}

/** One change, as the server says it. */
export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: WatchedObject;
  readonly resourceVersion: string;
}

/** The object of an event; only its metadata is known to be there. */
export interface WatchedObject {
  readonly metadata: { readonly resourceVersion: string };
}

/** Timing of one watch connection. */
export interface WatchLimits {
  /** Without a byte for so long the connection counts as dead. Servers send a bookmark about once a minute. */
  readonly idleMs: number;
  /** Until the server has begun to answer. */
  readonly connectMs: number;
  /** After which the server ends the watch by itself. */
  readonly serverTimeoutSeconds: number;
}

/** A line of a watch is not what the server should send; an event may have been missed, so list again. */
export class MalformedEventError extends Error {
  override readonly name = 'MalformedEventError';
}

/** Nothing came for so long, not even a bookmark: the connection may be dead, or there is nothing to say. */
export class SilentWatchError extends Error {
  override readonly name = 'SilentWatchError';
}

/** In bytes. */
const MAX_LINE_LENGTH = 64 * 1024 * 1024;

/**
 * One watch connection. Resolves when the server ends it, rejects when it fails; `onEvent` sees whole events only.
 */
export async function watchOnce(
  api: StreamApi,
  from: { readonly selection: Selection; readonly resourceVersion: string },
  limits: WatchLimits,
  handlers: {
    readonly signal: AbortSignal;
    readonly onAlive: () => void;
    readonly onEvent: (event: WatchEvent) => void;
  },
): Promise<void> {
  const abort = new AbortController();
  const stop = (): void => {
    abort.abort();
  };
  handlers.signal.addEventListener('abort', stop, { once: true });
  const connecting = setTimeout(stop, limits.connectMs);
  try {
    const response = await api.stream(watchRequest(from, limits), abort.signal);
    clearTimeout(connecting);
    handlers.onAlive();
    await readEvents(response, { idleMs: limits.idleMs, trim: trimOf(from.selection.resource) }, handlers);
  } finally {
    clearTimeout(connecting);
    handlers.signal.removeEventListener('abort', stop);
    stop();
  }
}

function watchRequest(
  from: { readonly selection: Selection; readonly resourceVersion: string },
  limits: WatchLimits,
): KubeRequest {
  return {
    method: 'GET',
    path: collectionPath(from.selection.resource, from.selection.namespace),
    query: {
      ...selectionQuery(from.selection),
      watch: '1',
      allowWatchBookmarks: 'true',
      resourceVersion: from.resourceVersion,
      timeoutSeconds: String(limits.serverTimeoutSeconds),
    },
    ...(from.selection.metadataOnly === true ? { accept: METADATA_ONLY } : {}),
  };
}

async function readEvents(
  response: IncomingMessage,
  { idleMs, trim }: { readonly idleMs: number; readonly trim: Trim },
  handlers: { readonly onAlive: () => void; readonly onEvent: (event: WatchEvent) => void },
): Promise<void> {
  const idle = setTimeout(() => response.destroy(new SilentWatchError('watch went silent')), idleMs);
  const lines = new LineReader((pieces) => {
    const line = readJoined(pieces, (bytes) => trim(bytes).toString('utf8'));
    if (line !== '') handlers.onEvent(parseEvent(line));
  });
  try {
    for await (const chunk of response) {
      idle.refresh();
      handlers.onAlive();
      lines.read(chunk as Buffer);
      if (lines.unfinished > MAX_LINE_LENGTH) throw new MalformedEventError('watch line is too long');
    }
  } catch (error) {
    throw asWatchError(error);
  } finally {
    clearTimeout(idle);
    response.destroy();
  }
  // A half line at the end is an event that the server will send again: it lies after the last resourceVersion.
}

const NEWLINE = 0x0a;

/** Finds lines in chunks. A line is bytes until it is whole, as a chunk may end within a character. */
class LineReader {
  readonly #onLine: (pieces: readonly Buffer[]) => void;
  #rest: Buffer[] = [];
  #unfinished = 0;

  constructor(onLine: (pieces: readonly Buffer[]) => void) {
    this.#onLine = onLine;
  }

  /** Bytes of the line that has not ended yet. */
  get unfinished(): number {
    return this.#unfinished;
  }

  read(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const pieces = [...this.#rest, chunk.subarray(start, end)];
      this.#rest = [];
      start = end + 1;
      this.#onLine(pieces);
    }
    if (start < chunk.length) this.#rest.push(chunk.subarray(start));
    this.#unfinished = this.#rest.reduce((sum, { length }) => sum + length, 0);
  }
}

interface RawEvent {
  readonly type?: unknown;
  readonly object?: {
    readonly metadata?: { readonly resourceVersion?: unknown } | null;
    readonly code?: unknown;
  } | null;
}

function parseEvent(line: string): WatchEvent {
  const { type, object } = parseLine(line);
  if (type === 'ERROR') {
    const code = typeof object?.code === 'number' ? object.code : 500;
    throw statusError(code, JSON.stringify(object ?? {}));
  }
  const resourceVersion = object?.metadata?.resourceVersion;
  if (!isEventType(type) || typeof resourceVersion !== 'string' || resourceVersion === '') {
    throw new MalformedEventError(`watch event of type ${JSON.stringify(type)} has no resourceVersion`);
  }
  return { type, object: object as WatchedObject, resourceVersion };
}

function parseLine(line: string): RawEvent {
  try {
    return (JSON.parse(line) as RawEvent | null) ?? {};
  } catch (cause) {
    throw new MalformedEventError('watch line is no JSON', { cause });
  }
}

function isEventType(type: unknown): type is WatchEvent['type'] {
  return type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED' || type === 'BOOKMARK';
}

function asWatchError(error: unknown): unknown {
  const isOwn =
    error instanceof Error &&
    ['KubeStatusError', 'KubeConnectionError', 'MalformedEventError', 'SilentWatchError'].includes(error.name);
  if (isOwn) return error;
  return new KubeConnectionError('watch was cut off', { cause: error });
}
