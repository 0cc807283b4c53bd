import type { QueueObserver } from '../queue/keyed-queue.js';
import type { MetricFamilies, QueueName } from './families.js';

const RESULTS = ['success', 'error', 'requeue_after', 'requeue'] as const;

/** How a pass ended, in controller-runtime's words. */
export type ReconcileResult = (typeof RESULTS)[number];

/** Metrics of one queue and of the passes over its keys. */
export interface QueueMetrics {
  readonly observer: QueueObserver;
  /** Counts the end of one pass. */
  readonly count: (result: ReconcileResult) => void;
  /** Brings the gauges of work in hand up to date; called when they are scraped. */
  readonly measure: (runningMs: readonly number[]) => void;
}

/** Counts what a queue does. Every series is there from the start, so that a rate needs no first event. */
export function queueMetrics(families: MetricFamilies, name: QueueName, concurrency: number): QueueMetrics {
  const labels = { name, controller: name };
  const controller = { controller: name };
  for (const result of RESULTS) families.reconcileTotal.inc({ ...controller, result }, 0);
  families.reconcileErrors.inc(controller, 0);
  families.maxConcurrent.set(controller, concurrency);
  families.activeWorkers.set(controller, 0);
  families.queueDepth.set(labels, 0);
  families.queueAdds.inc(labels, 0);
  families.queueRetries.inc(labels, 0);
  return {
    observer: {
      added: (depth) => {
        families.queueAdds.inc(labels);
        families.queueDepth.set(labels, depth);
      },
      started: (depth, waitedMs) => {
        families.queueDepth.set(labels, depth);
        families.queueWait.observe(labels, waitedMs / 1000);
        families.activeWorkers.inc(controller);
      },
      finished: (workedMs) => {
        families.queueWork.observe(labels, workedMs / 1000);
        families.reconcileTime.observe(controller, workedMs / 1000);
        families.activeWorkers.dec(controller);
      },
      retried: () => {
        families.queueRetries.inc(labels);
      },
    },
    count: (result) => {
      families.reconcileTotal.inc({ ...controller, result });
      if (result === 'error') families.reconcileErrors.inc(controller);
    },
    measure: (runningMs) => {
      const seconds = runningMs.map((ms) => ms / 1000);
      families.queueUnfinished.set(
        labels,
        seconds.reduce((sum, one) => sum + one, 0),
      );
      families.queueLongest.set(labels, Math.max(0, ...seconds));
    },
  };
}
