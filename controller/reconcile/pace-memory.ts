import { believableSpent, type Spent } from './write-allowance.js';
import { comingUpSince, isRecent, type PaceContext, type PacedStatus, spentBy } from './write-pace.js';

/** What is known of an agent whose status is due. All times by the server's clock. */
export interface DueStatus {
  /** Since this process last wrote the status; undefined when it has not. */
  readonly sinceWriteMs: number | undefined;
  readonly creationTimestamp: string;
  readonly now: number;
}

/** What the pace of writes depends on and no object tells, by agent. It is gone with the process. */
export class PaceMemory {
  /** Since when each agent that is on its way has been so. */
  readonly #onTheirWay = new Map<string, number>();
  /** Of the allowance for small changes. */
  readonly #spent = new Map<string, Spent>();
  /** Since when the status has been another than the stored one. */
  readonly #differentSince = new Map<string, number>();

  /** This is what the status is to be, whether it is written or not. */
  computed(key: string, status: PacedStatus): void {
    keep(this.#onTheirWay, key, comingUpSince(status));
  }

  /** The stored status is what it is to be. */
  isStored(key: string): void {
    this.#differentSince.delete(key);
  }

  /** The stored status is another than the computed one: what a write of that depends on. */
  isDue(key: string, { sinceWriteMs, creationTimestamp, now }: DueStatus): PaceContext {
    const differentSince = this.#differentSince.get(key) ?? now;
    this.#differentSince.set(key, differentSince);
    const spent = this.#spent.get(key);
    const believed = spent && believableSpent(spent, now);
    keep(this.#spent, key, believed);
    return {
      sinceWriteMs,
      sinceDifferentMs: now - differentSince,
      ageMs: now - Date.parse(creationTimestamp),
      onTheirWay: this.#countOnTheirWay(now),
      spent: believed,
      now,
    };
  }

  /** The status was written. */
  wrote(key: string, stored: PacedStatus | undefined, written: PacedStatus, context: PaceContext): void {
    this.#differentSince.delete(key);
    keep(this.#spent, key, spentBy(stored, written, context));
  }

  /** The agent is gone. */
  forget(key: string): void {
    this.#onTheirWay.delete(key);
    this.#spent.delete(key);
    this.#differentSince.delete(key);
  }

  /** One that is stuck for good gets no pass of its own by which it would cease to count. */
  #countOnTheirWay(now: number): number {
    let count = 0;
    for (const since of this.#onTheirWay.values()) if (isRecent(since, now)) count++;
    return count;
  }
}

function keep<T>(map: Map<string, T>, key: string, value: T | undefined): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}
