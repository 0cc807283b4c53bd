import { LABELS } from '../lib/api/identity.js';
import { RunCache } from './cache/run-cache.js';
import { keepPod } from './cache/transforms.js';
import type { AgentControllerParts } from './agent-controller.js';
import { crdState } from './finalize/crd-state.js';
import { StoppingFinalizer } from './finalize/run-finalizer.js';
import { eventReader } from './kube/event-reader.js';
import { eventRequest } from './kube/event-recorder.js';
import { listAll } from './kube/list.js';
import { deleteRequest } from './kube/object-requests.js';
import { objectWriter } from './kube/object-writer.js';
import { RESOURCES } from './kube/resources.js';
import { RUN } from './kube/run-kind.js';
import { RunMetrics } from './metrics/run-series.js';
import { objectEvents } from './object-events.js';
import type { ControllerOptions } from './options.js';
import { passWhereRead } from './reconcile/pass.js';
import { RunReconciler, type JudgeRun } from './reconcile/run.js';
import { DeletionRecord } from './runs/deletion-record.js';
import type { StoredRun } from './runs/objects.js';
import type { RunOptions } from './runs/observed-run.js';
import { workloadWriter } from './runs/workload-writer.js';
import { watchReporter } from './watch-reporter.js';
import { WorkQueue } from './work-queue.js';

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
  readonly #queue: WorkQueue;

  constructor(parts: RunControllerParts) {
    const { client, options, families, log } = parts;
    this.cache = new RunCache({
      api: client,
      namespaces: options.namespaces,
      onRunChange: (key) => {
        this.#queue.addChanged(key);
      },
      observe: (resource) => watchReporter(resource, families, log),
    });
    const reconciler = this.#reconciler(parts);
    this.#queue = new WorkQueue({
      what: 'run',
      name: 'agentrun',
      concurrency: options.concurrency,
      reconcile: passWhereRead(this.cache.feeds, (key) => reconciler.reconcile(key)),
      families,
      log,
    });
  }

  /** Begins to work: the cache must be synced. */
  start(): void {
    this.#queue.start(this.cache.runs.keys());
  }

  /** Whether every run that was there at the start has been looked at, so that none is missing from the counts. */
  get hasSeenAll(): boolean {
    return this.#queue.hasSeenAll;
  }

  /** Runs that there are. */
  get count(): number {
    return this.cache.runs.size;
  }

  /** Brings the gauges of work in hand up to date. */
  measure(): void {
    this.#queue.measure();
  }

  /** Takes no more work, and resolves when what is in hand is finished. */
  async stop(): Promise<void> {
    await this.#queue.drain();
  }

  #reconciler(parts: RunControllerParts): RunReconciler {
    const { client, options, families, instance, log, judge } = parts;
    const readEvents = eventReader(client);
    const shared = {
      cache: this.cache,
      writer: objectWriter(client, RUN),
      workloads: workloadWriter(client),
      record: objectEvents(parts, RESOURCES.runs),
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
      readPods: async ({ metadata: { name, namespace = '' } }) => {
        const selection = { resource: RESOURCES.pods, namespace, labelSelector: `${LABELS.run}=${name}` };
        return (await listAll(client, selection, keepPod)).items;
      },
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
  await client.request(deleteRequest(RESOURCES.runs, metadata, { preconditions: { uid, resourceVersion } }));
}
