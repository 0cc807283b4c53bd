import type { Logger } from './log.js';
import type { MetricFamilies, QueueName } from './metrics/families.js';
import { queueMetrics, type QueueMetrics } from './metrics/queue-metrics.js';
import { KeyedQueue } from './queue/keyed-queue.js';
import { RETRY } from './queue/retry.js';
import type { Outcome } from './reconcile/outcome.js';
import { Worker, type WorkerParts } from './worker.js';

export interface WorkQueueParts {
  /** What the log calls the objects. */
  readonly what: WorkerParts['what'];
  /** What the metrics call the queue. */
  readonly name: QueueName;
  readonly concurrency: number;
  readonly reconcile: (key: string) => Promise<Outcome>;
  readonly families: MetricFamilies;
  readonly log: Logger;
}

/** The queue of one kind with its worker and metrics. */
export class WorkQueue {
  readonly #queue: KeyedQueue;
  readonly #metrics: QueueMetrics;
  /** Keys of the first list that no pass has looked at yet; undefined before that list. */
  #firstPass: Set<string> | undefined;

  constructor({ what, name, concurrency, reconcile, families, log }: WorkQueueParts) {
    this.#metrics = queueMetrics(families, name, concurrency);
    const worker = new Worker({
      what,
      reconcile,
      log,
      count: this.#metrics.count,
      onWrite: () => {
        families.statusWrites.inc();
      },
    });
    this.#queue = new KeyedQueue({
      concurrency,
      backoff: RETRY,
      observer: this.#metrics.observer,
      handle: async (key) => {
        try {
          return await worker.handle(key);
        } finally {
          this.#firstPass?.delete(key);
        }
      },
    });
  }

  /** The key is to be handled as soon as possible. */
  add(key: string): void {
    this.#queue.add(key);
  }

  /** Something of the cluster about the key changed. */
  addChanged(key: string): void {
    this.#queue.addChanged(key);
  }

  /** Begins to work; `first` are the keys that are there at this moment. */
  start(first: Iterable<string>): void {
    this.#firstPass = new Set(first);
    this.#queue.start();
  }

  /** Whether every key that was there at the start has been looked at. */
  get hasSeenAll(): boolean {
    return this.#firstPass?.size === 0;
  }

  /** Brings the gauges of work in hand up to date. */
  measure(): void {
    this.#metrics.measure(this.#queue.runningFor());
  }

  /** Takes no more work, and resolves when what is in hand is finished. */
  async drain(): Promise<void> {
    await this.#queue.drain();
  }
}
