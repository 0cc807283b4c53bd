import { RunCache } from './cache/run-cache.js';
import type { AgentControllerParts } from './agent-controller.js';
import { crdState } from './finalize/crd-state.js';
import { StoppingFinalizer } from './finalize/run-finalizer.js';
import { describeError } from './kube/errors.js';
import { eventReader } from './kube/event-reader.js';
import { eventRecorder, eventRequest } from './kube/event-recorder.js';
import { objectWriter } from './kube/object-writer.js';
import { objectPath, RESOURCES } from './kube/resources.js';
import { RUN } from './kube/run-kind.js';
import { queueMetrics, type QueueMetrics } from './metrics/queue-metrics.js';
import { RunMetrics } from './metrics/run-series.js';
import type { ControllerOptions } from './options.js';
import { KeyedQueue } from './queue/keyed-queue.js';
import { RETRY } from './queue/retry.js';
import { RunReconciler, type JudgeRun } from './reconcile/run.js';
import { DeletionRecord } from './runs/deletion-record.js';
import type { StoredRun } from './runs/objects.js';
import type { RunOptions } from './runs/observed-run.js';
import { workloadWriter } from './runs/workload-writer.js';
import { watchReporter } from './watch-reporter.js';
import { Worker } from './worker.js';

export interface RunControllerParts extends Pick<
  AgentControllerParts,
  'client' | 'options' | 'families' | 'log' | 'instance'
> {
  readonly judge: JudgeRun;
}

/** Cache, queue and reconciler of runs, put together. */
export class RunController {
  /** What the log calls the objects. */
  readonly kind = 'runs';
  readonly cache: RunCache;
  readonly #queue: KeyedQueue;
  readonly #queueMetrics: QueueMetrics;
  /** Runs of the first list that no pass has looked at yet; undefined before that list. */
  #firstPass: Set<string> | undefined;

  constructor(parts: RunControllerParts) {
    const { client, options, families, log } = parts;
    this.cache = new RunCache({
      api: client,
      namespaces: options.namespaces,
      onRunChange: (key) => {
        this.#queue.add(key);
      },
      observe: (resource) => watchReporter(resource, families, log),
    });
    const reconciler = this.#reconciler(parts);
    this.#queueMetrics = queueMetrics(families, 'agentrun', options.concurrency);
    const worker = new Worker({
      what: 'run',
      reconcile: (key) => reconciler.reconcile(key),
      log,
      count: this.#queueMetrics.count,
      onWrite: () => {
        families.statusWrites.inc();
      },
    });
    this.#queue = new KeyedQueue({
      concurrency: options.concurrency,
      backoff: RETRY,
      observer: this.#queueMetrics.observer,
      handle: async (key) => {
        try {
          return await worker.handle(key);
        } finally {
          this.#firstPass?.delete(key);
        }
      },
    });
  }

  /** Begins to work: the cache must be synced. */
  start(): void {
    this.#firstPass = new Set(this.cache.runs.keys());
    this.#queue.start();
  }

  /** Whether every run that was there at the start has been looked at, so that none is missing from the counts. */
  get hasSeenAll(): boolean {
    return this.#firstPass?.size === 0;
  }

  /** Runs that there are. */
  get count(): number {
    return this.cache.runs.size;
  }

  /** Brings the gauges of work in hand up to date. */
  measure(): void {
    this.#queueMetrics.measure(this.#queue.runningFor());
  }

  /** Takes no more work, and resolves when what is in hand is finished. */
  async stop(): Promise<void> {
    await this.#queue.drain();
  }

  #reconciler({ client, options, families, instance, log, judge }: RunControllerParts): RunReconciler {
    const record = eventRecorder({
      api: client,
      resource: RESOURCES.runs,
      instance,
      onError: (error) => {
        log.debug({ error: describeError(error) }, 'event was not written');
      },
    });
    const readEvents = eventReader(client);
    const shared = {
      cache: this.cache,
      writer: objectWriter(client, RUN),
      workloads: workloadWriter(client),
      record,
      options: runOptions(options),
    };
    return new RunReconciler({
      ...shared,
      remove: (run) => deleteRun(client, run),
      deletions: new DeletionRecord({
        api: client,
        readEvents,
        eventRequest: (run, event) =>
          eventRequest(run, event, { resource: RESOURCES.runs, instance, now: client.now() }),
      }),
      readEvents,
      finalizer: new StoppingFinalizer({ ...shared, api: client, isCrdGoing: crdState(client, RESOURCES.runs) }),
      series: new RunMetrics(families),
      judge,
      now: () => client.now(),
      onPhase: (run, { phase, conditions }) => {
        const { namespace = '', name } = run.metadata;
        const reason = conditions.find(({ type }) => type === 'Succeeded')?.reason;
        log.info({ run: `${namespace}/${name}`, phase, reason }, 'run changed phase');
      },
    });
  }
}

function runOptions(options: ControllerOptions): RunOptions {
  return {
    startupDeadlineSeconds: options.runStartupDeadlineSeconds,
    fatalGraceSeconds: options.runFatalGraceSeconds,
    ttlSeconds: options.runTtlSeconds,
    trackingMarks: options.trackingMarks,
  };
}

/** In the very state that was judged: somebody may just have marked it. */
async function deleteRun(client: AgentControllerParts['client'], { metadata }: StoredRun): Promise<void> {
  const { uid, resourceVersion } = metadata;
  await client.request({
    method: 'DELETE',
    path: objectPath(RESOURCES.runs, metadata),
    body: { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid, resourceVersion } },
  });
}
