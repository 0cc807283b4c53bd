import type { KubeObject } from '../kube/objects.js';

/** One change of a store. `former` is absent for a new object, `current` for one that is gone. */
export interface StoreChange<T> {
  readonly former?: T;
  readonly current?: T;
}

/** `<namespace>/<name>`, or the name alone. */
export function objectKey(object: { readonly namespace?: string; readonly name: string }): string {
  return object.namespace === undefined ? object.name : `${object.namespace}/${object.name}`;
}

/** The objects of one resource by key, and by the agents that they may belong to. */
export class ObjectStore<T extends KubeObject> {
  readonly #objects = new Map<string, T>();
  readonly #index = new Map<string, Set<string>>();
  readonly #indexKeys: (object: T) => readonly string[];
  readonly #onChange: (change: StoreChange<T>) => void;

  constructor(indexKeys: (object: T) => readonly string[], onChange: (change: StoreChange<T>) => void) {
    this.#indexKeys = indexKeys;
    this.#onChange = onChange;
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  /** Whether this very object is in the store, in whichever state: neither gone nor followed by another of its name. */
  holds({ metadata }: T): boolean {
    return this.#objects.get(objectKey(metadata))?.metadata.uid === metadata.uid;
  }

  keys(): IterableIterator<string> {
    return this.#objects.keys();
  }

  /** Every object with this index key, in no particular order. */
  byIndex(indexKey: string): readonly T[] {
    const found: T[] = [];
    for (const key of this.#index.get(indexKey) ?? []) {
      const object = this.#objects.get(key);
      if (object !== undefined) found.push(object);
    }
    return found;
  }

  /** Takes an object in, unless the store already holds a newer state of it. */
  upsert(object: T): void {
    const former = this.#objects.get(objectKey(object.metadata));
    if (isOutdated(object, former)) return;
    this.#put(object, former);
  }

  /** {@link upsert} of what this process itself has just made of the object: nobody has to be told. */
  adopt(object: T): void {
    const former = this.#objects.get(objectKey(object.metadata));
    if (isOutdated(object, former)) return;
    this.#keep(object, former);
  }

  remove(object: T): void {
    const key = objectKey(object.metadata);
    const former = this.#objects.get(key);
    if (former === undefined) return;
    this.#objects.delete(key);
    this.#unindex(key, former);
    this.#onChange({ former });
  }

  /**
   * Makes the store hold exactly these, of one namespace or of all, whatever their resourceVersions: a restored etcd
   * counts from an earlier one.
   */
  replace(objects: readonly T[], namespace?: string): void {
    const gone = new Set<string>();
    for (const [key, { metadata }] of this.#objects) {
      if (namespace === undefined || metadata.namespace === namespace) gone.add(key);
    }
    for (const object of objects) {
      const key = objectKey(object.metadata);
      gone.delete(key);
      this.#put(object, this.#objects.get(key));
    }
    for (const key of gone) {
      const object = this.#objects.get(key);
      if (object !== undefined) this.remove(object);
    }
  }

  #put(object: T, former: T | undefined): void {
    if (former?.metadata.uid === object.metadata.uid) {
      if (former.metadata.resourceVersion === object.metadata.resourceVersion) return;
    }
    this.#keep(object, former);
    this.#onChange(former === undefined ? { current: object } : { former, current: object });
  }

  #keep(object: T, former: T | undefined): void {
    const key = objectKey(object.metadata);
    if (former !== undefined) this.#unindex(key, former);
    this.#objects.set(key, object);
    for (const indexKey of this.#indexKeys(object)) {
      const keys = this.#index.get(indexKey);
      if (keys === undefined) this.#index.set(indexKey, new Set([key]));
      else keys.add(key);
    }
  }

  #unindex(key: string, object: T): void {
    for (const indexKey of this.#indexKeys(object)) {
      const keys = this.#index.get(indexKey);
      keys?.delete(key);
      if (keys?.size === 0) this.#index.delete(indexKey);
    }
  }
}

function isOutdated({ metadata }: KubeObject, former: KubeObject | undefined): boolean {
  return former !== undefined && isOlder(metadata.resourceVersion, former.metadata.resourceVersion);
}

/** Compares as numbers without parsing: the longer one of two decimals is the larger one. */
function isOlder(version: string, than: string): boolean {
  if (!/^\d+$/.test(version) || !/^\d+$/.test(than)) return false;
  return version.length === than.length ? version < than : version.length < than.length;
}
