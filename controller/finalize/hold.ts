import { FINALIZER } from '../../lib/api/identity.js';
import { describeError, hasStatusCode, KubeStatusError } from '../kube/errors.js';
import type { RecordEvent } from '../kube/event-recorder.js';
import type { StoredObject } from '../kube/objects.js';
import type { ObjectWriter } from '../kube/object-writer.js';

export interface HoldParts<T extends StoredObject> {
  readonly writer: ObjectWriter;
  /** What the cache keeps of an object of the kind. */
  readonly keep: (raw: unknown) => T | undefined;
  readonly record: RecordEvent;
}

/** Holds objects of one kind by our finalizer, so that what belongs to them can go first. */
export class FinalizerHold<T extends StoredObject> {
  readonly #parts: HoldParts<T>;

  constructor(parts: HoldParts<T>) {
    this.#parts = parts;
  }

  /** Holds the object unless it is being deleted; resolves with it as it is after that. */
  async ensure(object: T): Promise<T> {
    if (object.metadata.deletionTimestamp !== undefined || holds(object)) return object;
    try {
      return await this.#hold(object);
    } catch (error) {
      // It went meanwhile; whoever writes its status next is told the same.
      if (hasStatusCode(error, 404)) return object;
      if (!isRefusal(error) || hasStatusCode(error, 409)) throw error;
      const note = `cannot be held: ${describeError(error)}`;
      this.#parts.record(object, { type: 'Warning', reason: 'FinalizerNotAdded', action: 'Finalize', note });
      return object;
    }
  }

  async #hold(object: T): Promise<T> {
    const { writer, keep } = this.#parts;
    try {
      return keep(await writer.setFinalizer(object, true)) ?? object;
    } catch (error) {
      if (!hasStatusCode(error, 409)) throw error;
    }
    const live = keep(await writer.read(object));
    // Another object under the name, or one that is being deleted, is for a pass of its own.
    if (live?.metadata.uid !== object.metadata.uid || live.metadata.deletionTimestamp !== undefined) return object;
    return holds(live) ? live : (keep(await writer.setFinalizer(live, true)) ?? live);
  }

  /** Lets an object that is being deleted go. Its owner is told when the API server will not have it. */
  async release(object: T): Promise<void> {
    try {
      await this.#release(object);
    } catch (error) {
      const isUnwritable = hasStatusCode(error, 422);
      if (isUnwritable || hasStatusCode(error, 403)) {
        const why = isUnwritable ? ', because its spec was stored past the schema' : '';
        const note = `cannot be let go${why}: ${describeError(error)}`;
        this.#parts.record(object, { type: 'Warning', reason: 'FinalizerNotRemoved', action: 'Finalize', note });
      }
      throw error;
    }
  }

  async #release(object: T): Promise<void> {
    const { writer, keep } = this.#parts;
    try {
      await writer.setFinalizer(object, false);
    } catch (error) {
      if (hasStatusCode(error, 404)) return;
      if (!hasStatusCode(error, 409)) throw error;
      // Somebody else's finalizer came or went: read again, decide again.
      const live = keep(await writer.read(object));
      if (live?.metadata.uid !== object.metadata.uid || !holds(live)) return;
      await writer.setFinalizer(live, false);
    }
  }
}

/** How long what is not required is tried before it is given up. */
const GIVE_UP_AFTER_MS = 5 * 60_000;

/** Until a step that failed is tried again. */
export const RETRY_MS = 5_000;

/** Whether an object has been going for so long that what is not required holds it no longer. */
export function isGivenUp({ metadata }: StoredObject, now: number): boolean {
  return now - Date.parse(metadata.deletionTimestamp ?? '') >= GIVE_UP_AFTER_MS;
}

/** Whether our finalizer is on the object. */
export function holds(object: StoredObject): boolean {
  return object.metadata.finalizers?.includes(FINALIZER) ?? false;
}

/** An answer that stays the same until somebody changes something. */
export function isRefusal(error: unknown): boolean {
  return error instanceof KubeStatusError && error.statusCode !== 429 && error.statusCode !== 503;
}
