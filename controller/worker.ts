import { describeError } from './kube/errors.js';
import type { Logger } from './log.js';
import type { ReconcileResult } from './metrics/queue-metrics.js';
import type { WorkResult } from './queue/keyed-queue.js';
import type { Outcome } from './reconcile/outcome.js';

export interface WorkerParts {
  /** What the log calls the objects of the queue. */
  readonly what: 'agent' | 'run';
  readonly reconcile: (key: string) => Promise<Outcome>;
  readonly log: Logger;
  readonly count: (result: ReconcileResult) => void;
  readonly onWrite: () => void;
}

/** Turns the outcome of a pass into what the queue does with the key, and says so in log and metrics. */
export class Worker {
  readonly #parts: WorkerParts;
  /** The last failure of each key: one that repeats is logged once. */
  readonly #failures = new Map<string, string>();

  constructor(parts: WorkerParts) {
    this.#parts = parts;
  }

  /** Handler of a queue. */
  async handle(key: string): Promise<WorkResult> {
    const outcome = await this.#parts.reconcile(key);
    if (outcome.kind !== 'failed') this.#failures.delete(key);
    switch (outcome.kind) {
      case 'gone':
        this.#parts.count('success');
        return { kind: 'done' };
      case 'settled':
        return this.#settled(outcome);
      case 'again':
        this.#parts.count('requeue_after');
        return { kind: 'requeueAfter', delayMs: outcome.afterMs };
      case 'failed':
        this.#failed(key, outcome.error);
        return { kind: 'retry' };
    }
  }

  #settled(outcome: Extract<Outcome, { kind: 'settled' }>): WorkResult {
    if (outcome.wrote) this.#parts.onWrite();
    if (outcome.recheckAfterMs === undefined) {
      this.#parts.count('success');
      return { kind: 'done' };
    }
    this.#parts.count('requeue_after');
    return { kind: 'requeueAfter', delayMs: outcome.recheckAfterMs };
  }

  #failed(key: string, error: unknown): void {
    this.#parts.count('error');
    const text = describeError(error);
    if (this.#failures.get(key) === text) return;
    this.#failures.set(key, text);
    const { what, log } = this.#parts;
    log.warn({ [what]: key, error: text }, `${what} could not be updated`);
  }
}
