import type { KubeApi } from '../kube/client.js';
import type { KubeObject } from '../kube/objects.js';
import { Reflector, type Presence, type ReflectorObserver, type ReflectorTiming } from '../kube/reflector.js';
import { apiVersionOf, type ResourceType } from '../kube/resources.js';
import type { StreamApi } from '../kube/watch.js';
import type { ObjectStore } from './store.js';
import { keepMetadata } from './transforms.js';

/** Where feeds come from, and who is told how they fare. */
export interface FeedsOptions {
  readonly api: KubeApi & StreamApi;
  /** Empty: the whole cluster. Otherwise these alone, and nothing cluster-scoped. */
  readonly namespaces: readonly string[];
  readonly observe: (resource: ResourceType) => ReflectorObserver;
  readonly timing?: ReflectorTiming;
}

interface Parts extends FeedsOptions {
  /** A namespace that could not be read before now is. */
  readonly onNamespaceRead?: () => void;
}

/** One resource, what is kept of its objects, and the store that holds them. */
export interface Feed<T extends KubeObject> {
  readonly resource: ResourceType;
  readonly store: ObjectStore<T>;
  readonly keep: (raw: unknown) => T | undefined;
  readonly labelSelector?: string;
  readonly metadataOnly?: boolean;
  /** The cluster may not serve the resource at all, and may begin to at any time. @default false */
  readonly isOptional?: boolean;
  /** Says when a resource that is not served may have begun to be. */
  readonly presence?: Presence;
}

/** How far the resources behind a cache have been read. */
export type FeedState = Pick<Feeds, 'isSynced' | 'isSettled' | 'isUnread' | 'silentFor' | 'unansweredFor'>;

/** Stores that are kept current by one watch per resource, or by one per resource and namespace. */
export class Feeds {
  readonly #options: Parts;
  readonly #reflectors: Reflector<KubeObject>[] = [];

  constructor(options: Parts) {
    this.#options = options;
  }

  add<T extends KubeObject>(feed: Feed<T>): void {
    const { namespaces } = this.#options;
    if (namespaces.length === 0) this.#reflect(feed, undefined);
    else if (feed.resource.namespaced) for (const namespace of namespaces) this.#reflect(feed, namespace);
  }

  /** Runs every watch until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#reflectors.map((reflector) => reflector.run(signal)));
  }

  /** Whether every resource has been read to the end at least once. */
  get isSynced(): boolean {
    return this.#reflectors.every((reflector) => reflector.isSynced);
  }

  /**
   * Whether nothing is waited for any more: every resource has been read, or lies in one of several namespaces and may not
   * be. One that has lost its Role, or is not there yet, keeps nobody from looking after the others.
   */
  get isSettled(): boolean {
    return this.#reflectors.every(
      ({ isSynced, isRefused, selection }) => isSynced || (isRefused && selection.namespace !== undefined),
    );
  }

  /** Whether every resource has been read to the end at least once, as far as it lies in this namespace. */
  hasRead(namespace: string): boolean {
    return this.#reflectors.every(
      ({ isSynced, selection }) => isSynced || (selection.namespace ?? namespace) !== namespace,
    );
  }

  /** Whether some resource of this namespace may not be read, so that nothing there can be judged. */
  isUnread(namespace: string): boolean {
    return this.#reflectors.some(({ isRefused, selection }) => isRefused && selection.namespace === namespace);
  }

  /** Resources that have not been read yet, or of which the server has said nothing for so long. */
  silentFor(limitMs: number): readonly string[] {
    return this.#reflectors.filter((reflector) => reflector.silentForMs() > limitMs).map(nameOf);
  }

  /** {@link silentFor}, but for those that the server says may not be read. */
  unansweredFor(limitMs: number): readonly string[] {
    return this.#reflectors.filter((reflector) => reflector.unansweredForMs() > limitMs).map(nameOf);
  }

  /** Whether objects of this namespace (undefined: cluster-scoped ones) are watched at all. */
  covers(namespace: string | undefined): boolean {
    const { namespaces } = this.#options;
    return namespaces.length === 0 || (namespace !== undefined && namespaces.includes(namespace));
  }

  #observer(observer: ReflectorObserver, namespace: string | undefined): ReflectorObserver {
    if (namespace === undefined) return observer;
    let wasRefused = false;
    return {
      ...observer,
      failed: (stage, error) => {
        observer.failed(stage, error);
        wasRefused ||= this.isUnread(namespace);
      },
      listed: (count) => {
        observer.listed(count);
        if (!wasRefused || this.isUnread(namespace)) return;
        wasRefused = false;
        this.#options.onNamespaceRead?.();
      },
    };
  }

  #reflect<T extends KubeObject>(feed: Feed<T>, namespace: string | undefined): void {
    const { api, observe, timing } = this.#options;
    const { resource, store, keep, labelSelector, metadataOnly = false, isOptional = false, presence } = feed;
    const reflector = new Reflector<T>({
      api,
      selection: {
        resource,
        metadataOnly,
        ...(namespace === undefined ? {} : { namespace }),
        ...(labelSelector === undefined ? {} : { labelSelector }),
      },
      sink: {
        transform: keep,
        replace: (items) => {
          store.replace(items, namespace);
        },
        upsert: (item) => {
          store.upsert(item);
        },
        remove: (item) => {
          store.remove(item);
        },
      },
      observer: this.#observer(observe(resource), namespace),
      isOptional,
      ...(presence === undefined ? {} : { presence }),
      ...(timing === undefined ? {} : { timing }),
    });
    this.#reflectors.push(reflector);
  }
}

function nameOf({ selection: { resource, namespace } }: Reflector<KubeObject>): string {
  return namespace === undefined ? resource.plural : `${resource.plural} of namespace ${namespace}`;
}

/** `apiVersion` and `kind` of the resource's objects. */
export function typeOf(resource: ResourceType): { readonly apiVersion: string; readonly kind: string } {
  return { apiVersion: apiVersionOf(resource), kind: resource.kind };
}

/** {@link keepMetadata} for the resource's objects. */
export function keepOf(resource: ResourceType): (raw: unknown) => KubeObject | undefined {
  return keepMetadata(typeOf(resource));
}
