import type { KubeObject } from '../kube/objects.js';
import { Reflector, type Presence } from '../kube/reflector.js';
import { crdName, RESOURCES, type ResourceType } from '../kube/resources.js';
import { keepOf, type FeedsOptions } from './feeds.js';

/**
 * Whether the CRD of a kind is installed, by one watch on that CRD alone: nothing need be asked of the server while it
 * is not. Where the CRD may not be watched nobody can tell.
 */
export class KindPresence implements Presence {
  readonly #reflector: Reflector<KubeObject>;
  #isThere: boolean | undefined;
  #change = new AbortController();

  constructor({ api, observe, timing }: FeedsOptions, kind: ResourceType) {
    const resource = RESOURCES.customResourceDefinitions;
    this.#reflector = new Reflector<KubeObject>({
      api,
      selection: { resource, name: crdName(kind), metadataOnly: true },
      sink: {
        transform: keepOf(resource),
        replace: (found) => {
          this.#see(found.length > 0);
        },
        upsert: () => {
          this.#see(true);
        },
        remove: () => {
          this.#see(false);
        },
      },
      observer: observe(resource),
      ...(timing === undefined ? {} : { timing }),
    });
  }

  /** Runs the watch until the signal is aborted. */
  run(signal: AbortSignal): Promise<void> {
    return this.#reflector.run(signal);
  }

  get isAbsent(): boolean {
    return this.#isThere === false;
  }

  /** Aborted with the next change of the CRD; a new one is changed a few times before it is served. */
  get change(): AbortSignal {
    return this.#change.signal;
  }

  #see(isThere: boolean): void {
    this.#isThere = isThere;
    this.#change.abort();
    this.#change = new AbortController();
  }
}
