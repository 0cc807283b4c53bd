import type { QueueObserver } from '../queue/keyed-queue.js';
import { QUEUE_NAME, type MetricFamilies } from './families.js';

const LABELS = { name: QUEUE_NAME, controller: QUEUE_NAME };
const RESULTS = ['success', 'error', 'requeue_after', 'requeue'] as const;

/** How a pass ended, in controller-runtime's words. */
export type ReconcileResult = (typeof RESULTS)[number];

/** Counts what a queue does. Every series is there from the start, so that a rate needs no first event. */
export function queueObserver(families: MetricFamilies, concurrency: number): QueueObserver {
  for (const result of RESULTS) families.reconcileTotal.inc({ controller: QUEUE_NAME, result }, 0);
  families.reconcileErrors.inc({ controller: QUEUE_NAME }, 0);
  families.maxConcurrent.set({ controller: QUEUE_NAME }, concurrency);
  families.activeWorkers.set({ controller: QUEUE_NAME }, 0);
  families.queueDepth.set(LABELS, 0);
  families.queueAdds.inc(LABELS, 0);
  families.queueRetries.inc(LABELS, 0);
  return {
    added: (depth) => {
      families.queueAdds.inc(LABELS);
      families.queueDepth.set(LABELS, depth);
    },
    started: (depth, waitedMs) => {
      families.queueDepth.set(LABELS, depth);
      families.queueWait.observe(LABELS, waitedMs / 1000);
      families.activeWorkers.inc({ controller: QUEUE_NAME });
    },
    finished: (workedMs) => {
      families.queueWork.observe(LABELS, workedMs / 1000);
      families.reconcileTime.observe({ controller: QUEUE_NAME }, workedMs / 1000);
      families.activeWorkers.dec({ controller: QUEUE_NAME });
    },
    retried: () => {
      families.queueRetries.inc(LABELS);
    },
  };
}

/** Counts the end of one pass. */
export function countReconcile(families: MetricFamilies, result: ReconcileResult): void {
  families.reconcileTotal.inc({ controller: QUEUE_NAME, result });
  if (result === 'error') families.reconcileErrors.inc({ controller: QUEUE_NAME });
}

/** Brings the gauges of work in hand up to date; called when they are scraped. */
export function measureRunning(families: MetricFamilies, runningMs: readonly number[]): void {
  const seconds = runningMs.map((ms) => ms / 1000);
  families.queueUnfinished.set(
    LABELS,
    seconds.reduce((sum, one) => sum + one, 0),
  );
  families.queueLongest.set(LABELS, Math.max(0, ...seconds));
}
