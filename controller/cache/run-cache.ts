import { LABELS } from '../../lib/api/identity.js';
import { runWorkloadName } from '../../lib/names.js';
import type { KubeObject, Pod } from '../kube/objects.js';
import { RESOURCES, type ResourceType } from '../kube/resources.js';
import type { Job, Sandbox, StoredRun } from '../runs/objects.js';
import type { ObservedRun } from '../runs/observed-run.js';
import { Feeds, type FeedState, type FeedsOptions } from './feeds.js';
import { KindPresence } from './kind-presence.js';
import { runKeysOf, keysOfChange } from './ownership.js';
import { ObjectStore, objectKey, type StoreChange } from './store.js';
import { keepJob, keepPod, keepRun, keepSandbox } from './transforms.js';

export interface RunCacheOptions extends FeedsOptions {
  /** A run, or something that may belong to it, changed. */
  readonly onRunChange: (runKey: string) => void;
}

/** The part of an observation that the cluster gives. */
export type RelatedToRun = Pick<ObservedRun, 'job' | 'sandbox' | 'pods' | 'deletedPods' | 'unwatched'>;

/** Pods of a run that are remembered after they went: its end is told by one of the latest. */
const MAX_DELETED_PODS = 4;

/** All that the controller knows of runs, kept current by one watch per resource. */
export class RunCache {
  readonly runs: ObjectStore<StoredRun>;
  readonly #options: RunCacheOptions;
  readonly #feeds: Feeds;
  /** Apart, because nothing waits for a kind that may never be served, or never be readable. */
  readonly #optionalFeeds: Feeds;
  readonly #sandboxPresence: KindPresence;
  readonly #jobs: ObjectStore<Job>;
  readonly #sandboxes: ObjectStore<Sandbox>;
  readonly #pods: ObjectStore<Pod>;
  readonly #deletedPods = new Map<string, readonly Pod[]>();

  constructor(options: RunCacheOptions) {
    this.#options = options;
    this.#feeds = new Feeds({
      ...options,
      onNamespaceRead: () => {
        for (const key of this.runs.keys()) options.onRunChange(key);
      },
    });
    this.#optionalFeeds = new Feeds({ ...options, observe: (resource) => this.#observeOptional(resource) });
    this.#sandboxPresence = new KindPresence(options, RESOURCES.sandboxes);
    this.runs = new ObjectStore<StoredRun>(
      () => [],
      ({ former, current }) => {
        const metadata = (current ?? former)?.metadata;
        if (metadata === undefined) return;
        if (current === undefined || current.metadata.uid !== former?.metadata.uid)
          this.forgetPods(objectKey(metadata));
        options.onRunChange(objectKey(metadata));
      },
    );
    // Agents are looked after also where the kind of runs was never installed.
    this.#feeds.add({ resource: RESOURCES.runs, store: this.runs, keep: keepRun, isOptional: true });
    this.#jobs = this.#store((change) => {
      this.#touch(change);
    });
    this.#pods = this.#store((change) => {
      if (change.current === undefined && change.former !== undefined) this.#remember(change.former);
      this.#touch(change);
    });
    this.#sandboxes = this.#store((change) => {
      this.#touch(change);
    });
    const labelSelector = LABELS.run;
    this.#feeds.add({ resource: RESOURCES.jobs, store: this.#jobs, keep: keepJob, labelSelector });
    this.#feeds.add({ resource: RESOURCES.pods, store: this.#pods, keep: keepPod, labelSelector });
    this.#optionalFeeds.add({
      resource: RESOURCES.sandboxes,
      store: this.#sandboxes,
      keep: keepSandbox,
      labelSelector,
      isOptional: true,
      presence: this.#sandboxPresence,
    });
  }

  /** Runs every watch until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#feeds, this.#optionalFeeds, this.#sandboxPresence].map((part) => part.run(signal)));
  }

  /** How far those resources have been read that runs cannot do without. */
  get feeds(): FeedState {
    return this.#feeds;
  }

  /** What is selected by the name and the label of a run. */
  related(run: { readonly namespace: string; readonly name: string }): RelatedToRun {
    const key = objectKey(run);
    const workload = objectKey({ ...run, name: runWorkloadName(run.name) });
    const job = this.#jobs.get(workload);
    const sandbox = this.#sandboxes.get(workload);
    return {
      ...(job === undefined ? {} : { job }),
      ...(sandbox === undefined ? {} : { sandbox }),
      ...(this.#optionalFeeds.hasRead(run.namespace) ? {} : { unwatched: ['Sandbox'] }),
      pods: this.#pods.byIndex(key),
      deletedPods: this.#deletedPods.get(key) ?? [],
    };
  }

  /** Pods of the run that went are of no more use: its result is stored. */
  forgetPods(runKey: string): void {
    this.#deletedPods.delete(runKey);
  }

  #store<T extends KubeObject>(onChange: (change: StoreChange<T>) => void): ObjectStore<T> {
    return new ObjectStore<T>(runKeysOf, onChange);
  }

  #remember(pod: Pod): void {
    for (const key of runKeysOf(pod)) {
      // Whatever carries the label of no run, or of one that is over, would stay for ever.
      const run = this.runs.get(key);
      if (run === undefined || run.status?.completionTime !== undefined) continue;
      this.#deletedPods.set(key, [pod, ...(this.#deletedPods.get(key) ?? [])].slice(0, MAX_DELETED_PODS));
    }
  }

  #touch(change: StoreChange<KubeObject>): void {
    for (const key of keysOfChange(change, runKeysOf)) this.#options.onRunChange(key);
  }

  /** What was unknown of every run of the kind is known from the first answer on. */
  #observeOptional(resource: ResourceType): ReturnType<FeedsOptions['observe']> {
    const observer = this.#options.observe(resource);
    let isFirst = true;
    return {
      ...observer,
      listed: (count) => {
        observer.listed(count);
        if (isFirst) for (const key of this.runs.keys()) this.#options.onRunChange(key);
        isFirst = false;
      },
    };
  }
}
