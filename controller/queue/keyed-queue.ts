import { backoffDelay, type BackoffOptions } from '../timing/backoff.js';
import { setLongTimeout, type LongTimeout } from '../timing/long-timeout.js';

/** What became of one key. A handler that throws means `retry`. */
export type WorkResult =
  | { readonly kind: 'done' }
  /** Nothing failed; look again after this time, or earlier when the key is added. */
  | { readonly kind: 'requeueAfter'; readonly delayMs: number }
  /** Try again with the key's own growing delay. */
  | { readonly kind: 'retry' };

/** Told about everything that happens to keys; for metrics. */
export interface QueueObserver {
  added(depth: number): void;
  started(depth: number, waitedMs: number): void;
  finished(workedMs: number): void;
  retried(): void;
}

export interface KeyedQueueOptions {
  readonly concurrency: number;
  readonly backoff: BackoffOptions;
  readonly handle: (key: string) => Promise<WorkResult>;
  readonly observer?: QueueObserver;
}

/**
 * One change of the cluster reaches the controller as several events, on a watch each: a pod that fails is soon followed
 * by its Deployment that counts it no more. A pass in between would tell of a state that never was.
 */
const GATHER_MS = 50;

/**
 * A work queue of keys. A key is never handled twice at the same time, and waits at most once: what is added while it is
 * being handled is handled once more afterwards.
 */
export class KeyedQueue {
  readonly #options: KeyedQueueOptions;
  /** Waiting keys in order, with the time of their arrival. */
  readonly #waiting = new Map<string, number>();
  readonly #running = new Map<string, number>();
  readonly #dirty = new Set<string>();
  readonly #delayed = new Map<string, LongTimeout>();
  readonly #failures = new Map<string, number>();
  /** Keys of changes that others may follow within a moment. */
  readonly #changed = new Set<string>();
  #gathering: NodeJS.Timeout | undefined;
  #state: 'paused' | 'open' | 'closed' = 'paused';
  #idle: (() => void)[] = [];

  constructor(options: KeyedQueueOptions) {
    this.#options = options;
  }

  /** Keys that wait to be handled now. */
  get depth(): number {
    return this.#waiting.size;
  }

  /** Milliseconds that each key in hand has been worked on. */
  runningFor(): readonly number[] {
    const now = performance.now();
    return [...this.#running.values()].map((since) => now - since);
  }

  /** Begins to hand out keys; keys may be added before. */
  start(): void {
    if (this.#state !== 'paused') return;
    this.#state = 'open';
    this.#dispatch();
  }

  /** The key is to be handled as soon as possible. */
  add(key: string): void {
    if (this.#state === 'closed' || this.#waiting.has(key) || this.#dirty.has(key)) return;
    if (this.#running.has(key)) {
      this.#dirty.add(key);
      this.#options.observer?.added(this.depth);
      return;
    }
    this.#enqueue(key);
    this.#dispatch();
  }

  /** Something about the key changed: it is to be handled within a moment, together with what else changes by then. */
  addChanged(key: string): void {
    if (this.#state === 'closed') return;
    this.#changed.add(key);
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      const keys = [...this.#changed];
      this.#changed.clear();
      for (const changed of keys) this.add(changed);
    }, GATHER_MS);
  }

  /** The key is to be handled after a delay. A later call for the same key replaces the earlier one. */
  addAfter(key: string, delayMs: number): void {
    if (this.#state === 'closed') return;
    this.#cancelDelayed(key);
    if (!(delayMs > 0)) {
      this.add(key);
      return;
    }
    const timer = setLongTimeout(() => {
      this.#delayed.delete(key);
      this.add(key);
    }, delayMs);
    this.#delayed.set(key, timer);
  }

  /** Drops what is remembered of a key that no longer exists: its timer and its failures. */
  forget(key: string): void {
    this.#cancelDelayed(key);
    this.#failures.delete(key);
  }

  /** Takes no more work, and resolves when what is in hand is finished. */
  async drain(): Promise<void> {
    this.#state = 'closed';
    this.#waiting.clear();
    this.#dirty.clear();
    this.#changed.clear();
    clearTimeout(this.#gathering);
    for (const key of [...this.#delayed.keys()]) this.#cancelDelayed(key);
    if (this.#running.size === 0) return;
    await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #enqueue(key: string): void {
    this.#waiting.set(key, performance.now());
    this.#options.observer?.added(this.depth);
  }

  #dispatch(): void {
    while (this.#state === 'open' && this.#running.size < this.#options.concurrency) {
      const next = this.#waiting.entries().next();
      if (next.done === true) return;
      const [key, since] = next.value;
      this.#waiting.delete(key);
      // What the timer was set for is decided again by this pass.
      this.#cancelDelayed(key);
      const now = performance.now();
      this.#running.set(key, now);
      this.#options.observer?.started(this.depth, now - since);
      void this.#work(key, now);
    }
  }

  async #work(key: string, since: number): Promise<void> {
    let result: WorkResult;
    try {
      result = await this.#options.handle(key);
    } catch {
      result = { kind: 'retry' };
    }
    this.#running.delete(key);
    this.#options.observer?.finished(performance.now() - since);
    this.#settle(key, result);
    if (this.#dirty.delete(key)) this.#enqueue(key);
    this.#dispatch();
    if (this.#running.size === 0) {
      for (const resolve of this.#idle.splice(0)) resolve();
    }
  }

  #settle(key: string, result: WorkResult): void {
    switch (result.kind) {
      case 'done':
        this.#failures.delete(key);
        return;
      case 'requeueAfter':
        this.#failures.delete(key);
        this.addAfter(key, result.delayMs);
        return;
      case 'retry': {
        const failures = (this.#failures.get(key) ?? 0) + 1;
        this.#failures.set(key, failures);
        this.#options.observer?.retried();
        this.addAfter(key, backoffDelay(failures, this.#options.backoff));
        return;
      }
    }
  }

  #cancelDelayed(key: string): void {
    this.#delayed.get(key)?.cancel();
    this.#delayed.delete(key);
  }
}
