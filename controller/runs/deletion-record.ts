import { FIELD_MANAGER, RUN_KIND } from '../../lib/api/identity.js';
import { objectKey } from '../cache/store.js';
import type { KubeApi, KubeRequest } from '../kube/client.js';
import { KubeStatusError } from '../kube/errors.js';
import { timeOf, type ReadEvents } from '../kube/event-reader.js';
import type { ObjectEvent } from '../kube/event-recorder.js';
import type { StoredRun } from './objects.js';
import type { FormerDeletion } from './observed-run.js';

export interface DeletionRecordParts {
  readonly api: KubeApi;
  readonly readEvents: ReadEvents;
  /** The request that creates an event. */
  readonly eventRequest: (run: StoredRun, event: ObjectEvent) => KubeRequest;
}

/** Reason of the event that says that a run is deleted after its TTL. */
export const RUN_REAPED = 'RunReaped';

const REMEMBERED_MS = 15 * 60_000;

/**
 * Which runs this controller has deleted of late. The memory of the process is one half; the other half is an event on
 * each deleted run, written before the deletion, so that a process that starts a moment later knows it too.
 */
export class DeletionRecord {
  readonly #parts: DeletionRecordParts;
  readonly #deletions = new Map<string, FormerDeletion>();

  constructor(parts: DeletionRecordParts) {
    this.#parts = parts;
  }

  /** What this process knows by itself. */
  known(run: StoredRun): FormerDeletion | undefined {
    const deletion = this.#deletions.get(objectKey(run.metadata));
    return deletion?.uid === run.metadata.uid ? undefined : deletion;
  }

  /** What this process and those before it know. Rejects when it cannot be found out at the moment. */
  async find(run: StoredRun): Promise<FormerDeletion | undefined> {
    const known = this.known(run);
    if (known !== undefined) return known;
    const { name, namespace = '', uid } = run.metadata;
    const fields = { 'regarding.kind': RUN_KIND, 'regarding.name': name, reason: RUN_REAPED };
    const events = (await this.#parts.readEvents({ namespace, fields })) ?? [];
    const former = events.find(
      (event) => event.reportingController === FIELD_MANAGER && event.regarding?.uid !== uid && timeOf(event) > 0,
    );
    if (former === undefined) return undefined;
    const deletion = { at: timeOf(former), uid: former.regarding?.uid ?? '' };
    this.#remember(run, deletion);
    return deletion;
  }

  /** Notes that the run is about to be deleted. Rejects when that cannot be written at the moment. */
  async note(run: StoredRun, note: string): Promise<void> {
    const event: ObjectEvent = { type: 'Normal', reason: RUN_REAPED, action: 'Reap', note };
    try {
      await this.#parts.api.request(this.#parts.eventRequest(run, event));
    } catch (error) {
      // In a namespace that is being deleted every create is refused; the memory of the process has to do.
      const isRefused = error instanceof KubeStatusError && error.statusCode < 500 && error.statusCode !== 429;
      if (!isRefused) throw error;
    }
    this.#remember(run, { at: this.#parts.api.now(), uid: run.metadata.uid });
  }

  #remember(run: StoredRun, deletion: FormerDeletion): void {
    const now = this.#parts.api.now();
    for (const [key, { at }] of this.#deletions) if (now - at > REMEMBERED_MS) this.#deletions.delete(key);
    this.#deletions.set(objectKey(run.metadata), deletion);
  }
}
