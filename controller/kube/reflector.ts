import { backoffDelay, type BackoffOptions } from '../timing/backoff.js';
import { sleep } from '../timing/sleep.js';
import type { KubeApi } from './client.js';
import { hasStatusCode, isExpired, KubeStatusError } from './errors.js';
import { listAll, type Selection } from './list.js';
import {
  MalformedEventError,
  SilentWatchError,
  watchOnce,
  type StreamApi,
  type WatchEvent,
  type WatchLimits,
} from './watch.js';

/** Where a reflector puts what it sees. A sink that throws loses that object, and nothing else. */
export interface Sink<T> {
  /** What is kept of an object; undefined when it is no object at all. */
  transform(raw: unknown): T | undefined;
  /** The whole truth, after a list. */
  replace(items: readonly T[]): void;
  upsert(item: T): void;
  remove(item: T): void;
}

/** Told what a reflector goes through; for logs and metrics. */
export interface ReflectorObserver {
  listed(count: number): void;
  /** The watch ended and is opened again: `closed` by the server in good order, `silent` for too long, or by a failure. */
  restarted(cause: 'closed' | 'silent' | 'error' | 'expired'): void;
  failed(stage: 'list' | 'watch' | 'handler', error: unknown): void;
}

/** Timing of a reflector. */
export interface ReflectorTiming {
  readonly backoff: BackoffOptions;
  readonly idleMs: number;
  /**
   * After so long without an event or a bookmark everything is listed again. A server also says nothing when it has gone
   * back in time, as with an etcd that was restored from a backup: it waits for a resourceVersion that lies ahead of it.
   */
  readonly relistAfterMs: number;
  readonly connectMs: number;
  /** Bounds of the random life of one watch. */
  readonly watchSeconds: readonly [min: number, max: number];
  /** A watch that lived so long was a good one: the next one is opened at once. */
  readonly goodAfterMs: number;
  /** Between two looks whether an optional resource is served by now, where nobody says that it cannot be. */
  readonly absent: BackoffOptions;
}

/** Whether the kind of a resource is installed at all. */
export interface Presence {
  /** Known not to be; false also where nobody can tell. */
  readonly isAbsent: boolean;
  /** Aborted with the next change of that; then there is another one. */
  readonly change: AbortSignal;
}

/** Timing for production. Every failing resource asks at most once a second, and gives the server 30 s after a while. */
export const DEFAULT_TIMING: ReflectorTiming = {
  backoff: { baseMs: 1000, maxMs: 37_500, jitter: 0.25 },
  idleMs: 75_000,
  relistAfterMs: 600_000,
  connectMs: 15_000,
  watchSeconds: [290, 590],
  goodAfterMs: 5000,
  absent: { baseMs: 1000, maxMs: 60_000, jitter: 0.25 },
};

export interface ReflectorParts<T> {
  readonly api: KubeApi & StreamApi;
  readonly selection: Selection;
  readonly sink: Sink<T>;
  readonly observer: ReflectorObserver;
  /** The server may not serve the resource at all: then it counts as read and empty, and is asked for now and then. */
  readonly isOptional?: boolean;
  /** With it an optional resource that is known not to be served is not asked for until that changes. */
  readonly presence?: Presence;
  readonly timing?: ReflectorTiming;
}

/** What is known not to be there is looked for all the same, in case that what is known is no longer true. */
const ABSENT_FOR_CERTAIN_MS = 3_600_000;

const RELIST_AFTER_WATCH_FAILURES = 3;

/**
 * Keeps a sink equal to what the server has: list, then watch from there, for ever. It survives every failure, and it is
 * one loop, so that there is never more than one watch.
 */
export class Reflector<T> {
  readonly #parts: ReflectorParts<T>;
  readonly #timing: ReflectorTiming;
  #lastAlive = performance.now();
  #lastRefused = -Infinity;
  #lastNews = performance.now();
  #isSynced = false;
  #failures = 0;
  /** Times in a row that an optional resource was not served. */
  #absences = 0;
  #resourceVersion: string | undefined;
  #loop: Promise<void> | undefined;

  constructor(parts: ReflectorParts<T>) {
    this.#parts = parts;
    this.#timing = parts.timing ?? DEFAULT_TIMING;
  }

  /** What is reflected. */
  get selection(): Selection {
    return this.#parts.selection;
  }

  /** Whether the sink has held the whole truth at least once. */
  get isSynced(): boolean {
    return this.#isSynced;
  }

  /** Whether it may not be read (403), and never could be. */
  get isRefused(): boolean {
    return !this.#isSynced && this.#lastRefused > -Infinity;
  }

  /** Milliseconds since the server last said what it holds; since the start, when it never has. */
  silentForMs(): number {
    return performance.now() - this.#lastAlive;
  }

  /** The same, but that it may not be read (403) counts as well: a new process would be told no better. */
  unansweredForMs(): number {
    return performance.now() - Math.max(this.#lastAlive, this.#lastRefused);
  }

  /** Runs until the signal is aborted. A second call returns the same loop. Never rejects. */
  run(signal: AbortSignal): Promise<void> {
    this.#loop ??= this.#run(signal);
    return this.#loop;
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      // From before the server is asked, so that no change falls between the answer and the wait.
      const change = this.#parts.presence?.change;
      if (this.#resourceVersion === undefined) await this.#list();
      else await this.#watch(this.#resourceVersion, signal);
      if (this.#absences > 0) await this.#waitUntilServed(change, signal);
      else await sleep(backoffDelay(this.#failures, this.#timing.backoff), signal);
    }
  }

  async #waitUntilServed(change: AbortSignal | undefined, signal: AbortSignal): Promise<void> {
    const isAbsent = this.#parts.presence?.isAbsent === true;
    const delayMs = isAbsent ? ABSENT_FOR_CERTAIN_MS : backoffDelay(this.#absences, this.#timing.absent);
    await sleep(delayMs, change === undefined ? signal : AbortSignal.any([signal, change]));
    if (change?.aborted === true) this.#absences = 0;
  }

  async #list(): Promise<void> {
    const { api, selection, sink, observer } = this.#parts;
    try {
      const { items, resourceVersion } = await listAll(api, selection, (raw) => this.#transform(raw));
      this.#guard(() => {
        sink.replace(items);
      });
      this.#resourceVersion = resourceVersion;
      this.#isSynced = true;
      this.#absences = 0;
      this.#lastNews = performance.now();
      this.#alive();
      observer.listed(items.length);
    } catch (error) {
      this.#afterListError(error);
    }
  }

  #afterListError(error: unknown): void {
    const { sink, observer, isOptional = false } = this.#parts;
    // The resource itself is gone, as when its CRD is deleted: so are its objects.
    const isGone = hasStatusCode(error, 404);
    if (isGone) {
      this.#guard(() => {
        sink.replace([]);
      });
      // That is an answer, and no reason for a new process.
      this.#alive();
    }
    this.#absences = isGone && isOptional ? this.#absences + 1 : 0;
    if (this.#absences > 0) {
      this.#isSynced = true;
      this.#failures = 0;
      observer.listed(0);
      return;
    }
    this.#failures += 1;
    this.#failed('list', error);
  }

  async #watch(resourceVersion: string, signal: AbortSignal): Promise<void> {
    const { api, selection, observer } = this.#parts;
    const openedAt = performance.now();
    try {
      await watchOnce(api, { selection, resourceVersion }, this.#limits(), {
        signal,
        onAlive: () => {
          this.#alive();
        },
        onEvent: (event) => {
          this.#take(event);
        },
      });
      if (signal.aborted) return;
      this.#failures = performance.now() - openedAt >= this.#timing.goodAfterMs ? 0 : this.#failures + 1;
      observer.restarted('closed');
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof SilentWatchError) {
        this.#afterSilence();
        return;
      }
      this.#failures = performance.now() - openedAt >= this.#timing.goodAfterMs ? 1 : this.#failures + 1;
      this.#afterWatchError(error);
    }
  }

  /** No failure yet: where nothing changes a server sends a bookmark only when it has learned of a newer resourceVersion. */
  #afterSilence(): void {
    this.#failures = 0;
    if (performance.now() - this.#lastNews >= this.#timing.relistAfterMs) this.#resourceVersion = undefined;
    this.#parts.observer.restarted('silent');
  }

  #afterWatchError(error: unknown): void {
    const { observer } = this.#parts;
    if (isExpired(error)) {
      this.#resourceVersion = undefined;
      observer.restarted('expired');
      return;
    }
    this.#failed('watch', error);
    observer.restarted('error');
    const isAnswered = error instanceof KubeStatusError && this.#failures >= RELIST_AFTER_WATCH_FAILURES;
    if (error instanceof MalformedEventError || hasStatusCode(error, 404) || isAnswered)
      this.#resourceVersion = undefined;
  }

  #take(event: WatchEvent): void {
    this.#resourceVersion = event.resourceVersion;
    this.#failures = 0;
    this.#lastNews = performance.now();
    if (event.type === 'BOOKMARK') return;
    const item = this.#transform(event.object);
    if (item === undefined) return;
    this.#guard(() => {
      if (event.type === 'DELETED') this.#parts.sink.remove(item);
      else this.#parts.sink.upsert(item);
    });
  }

  #transform(raw: unknown): T | undefined {
    let item: T | undefined;
    this.#guard(() => {
      item = this.#parts.sink.transform(raw);
    });
    return item;
  }

  /** A handler that throws must be seen, and must not end the loop. */
  #guard(action: () => void): void {
    try {
      action();
    } catch (error) {
      this.#parts.observer.failed('handler', error);
    }
  }

  #failed(stage: 'list' | 'watch', error: unknown): void {
    if (hasStatusCode(error, 403)) this.#lastRefused = performance.now();
    this.#parts.observer.failed(stage, error);
  }

  #alive(): void {
    this.#lastAlive = performance.now();
  }

  #limits(): WatchLimits {
    const [min, max] = this.#timing.watchSeconds;
    return {
      idleMs: this.#timing.idleMs,
      connectMs: this.#timing.connectMs,
      serverTimeoutSeconds: Math.round(min + Math.random() * (max - min)),
    };
  }
}
