import type { FeedState } from '../cache/feeds.js';
import type { ObjectStore } from '../cache/store.js';
import type { ObjectFinalizer } from '../finalize/object-finalizer.js';
import type { StoredObject } from '../kube/objects.js';
import type { Outcome } from './outcome.js';
import type { StatusWriter } from './status-writer.js';

/** What a pass over one kind of object is made of. */
export interface PassParts<T extends StoredObject> {
  readonly store: ObjectStore<T>;
  readonly finalizer: ObjectFinalizer<T>;
  readonly statuses: StatusWriter<T>;
  /** Brings a live object in line; called again with the newer state when its write met one. */
  readonly settle: (object: T) => Promise<Outcome>;
  /** Lets go of all that is known of the object: it is gone, or about to be. */
  readonly forget: () => void;
}

/** One pass over the object of this key, in whichever state it is. Never rejects. */
export async function passOver<T extends StoredObject>(key: string, parts: PassParts<T>): Promise<Outcome> {
  const { store, finalizer, statuses, settle, forget } = parts;
  const object = store.get(key);
  try {
    if (object === undefined) {
      forget();
      return { kind: 'gone' };
    }
    if (object.metadata.deletionTimestamp === undefined) {
      return await statuses.untilWritten(await finalizer.ensure(object), settle);
    }
    forget();
    const result = await finalizer.finalize(object);
    return result.kind === 'released' ? { kind: 'gone' } : { kind: 'again', afterMs: result.afterMs };
  } catch (error) {
    return { kind: 'failed', error };
  }
}

/** A pass, unless something of the object's namespace may not be read: then there is another once it may be. */
export function passWhereRead(
  feeds: Pick<FeedState, 'isUnread'>,
  reconcile: (key: string) => Promise<Outcome>,
): (key: string) => Promise<Outcome> {
  return (key) => {
    const [namespace = ''] = key.split('/');
    return feeds.isUnread(namespace) ? Promise.resolve({ kind: 'settled', wrote: false }) : reconcile(key);
  };
}
