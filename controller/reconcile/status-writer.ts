import { createHash } from 'node:crypto';
import type { ObjectStore } from '../cache/store.js';
import { hasStatusCode } from '../kube/errors.js';
import type { ObjectWriter, OwnKind } from '../kube/object-writer.js';
import type { StoredObject } from '../kube/objects.js';
import type { Outcome } from './outcome.js';
import { differs } from './status-diff.js';

export interface StatusWriterParts<T extends StoredObject> {
  readonly kind: Pick<OwnKind, 'status'>;
  readonly store: ObjectStore<T>;
  readonly writer: ObjectWriter;
  /** What the store keeps of an object. */
  readonly keep: (raw: unknown) => T | undefined;
  /** Server time. */
  readonly now: () => number;
  /**
   * Whether another pass has to follow a write, because what is done then depends on what is stored. Without it the watch
   * says nothing new either, as it tells of the state that is known already.
   */
  readonly looksAgain: boolean;
}

const MAX_CONFLICTS = 3;

/** Writes statuses of one kind: only what differs, and only onto the state that it was computed from. */
export class StatusWriter<T extends StoredObject> {
  readonly #parts: StatusWriterParts<T>;
  /** What was applied last, so that a status the server stores in another form is not written for ever. */
  readonly #applied = new Map<string, { readonly resourceVersion: string; readonly hash: string }>();
  /** When each status was written last, by the server's clock. */
  readonly #writtenAt = new Map<string, number>();

  constructor(parts: StatusWriterParts<T>) {
    this.#parts = parts;
  }

  /** Whether the status is not what is stored. */
  isDue(key: string, object: T, status: object): boolean {
    if (!differs(object.status, { ...status }, this.#parts.kind.status)) return false;
    const applied = this.#applied.get(key);
    return applied?.resourceVersion !== object.metadata.resourceVersion || applied.hash !== hashOf(status);
  }

  /** Milliseconds since this process last wrote the object's status. */
  sinceWriteMs(key: string): number | undefined {
    const writtenAt = this.#writtenAt.get(key);
    return writtenAt === undefined ? undefined : this.#parts.now() - writtenAt;
  }

  /** Applies a status and resolves with the object as it is then. */
  async apply(key: string, object: T, status: object): Promise<T> {
    const { writer, keep, store, now, looksAgain } = this.#parts;
    const written = keep(await writer.applyStatus(object, status));
    this.#writtenAt.set(key, now());
    if (written === undefined) return object;
    this.#applied.set(key, { resourceVersion: written.metadata.resourceVersion, hash: hashOf(status) });
    // The watch will say the same later; until then a pass must not judge by the old status. One that left the store
    // meanwhile stays out.
    if (!store.holds(written)) return written;
    if (looksAgain) store.upsert(written);
    else store.adopt(written);
    return written;
  }

  /** Runs an attempt on the object, and again on the live one as often as its write meets a newer state. */
  async untilWritten(object: T, attempt: (object: T) => Promise<Outcome>): Promise<Outcome> {
    const { keep, store, writer } = this.#parts;
    let current = object;
    for (let conflicts = 0; ; conflicts++) {
      try {
        return await attempt(current);
      } catch (error) {
        if (hasStatusCode(error, 404)) return { kind: 'gone' };
        if (!hasStatusCode(error, 409) || conflicts >= MAX_CONFLICTS) throw error;
      }
      const live = keep(await writer.read(current));
      // An answer can come after the watch has told that the object is gone, and before it tells of a successor: taken
      // in, it would be there for ever.
      if (live === undefined || !store.holds(live)) return { kind: 'gone' };
      store.upsert(live);
      // The pass that lets it go follows its change in the store.
      if (live.metadata.deletionTimestamp !== undefined) return { kind: 'settled', wrote: false };
      current = live;
    }
  }

  /** The object is gone. */
  forget(key: string): void {
    this.#applied.delete(key);
    this.#writtenAt.delete(key);
  }
}

function hashOf(status: object): string {
  return createHash('sha1').update(JSON.stringify(status)).digest('base64');
}
