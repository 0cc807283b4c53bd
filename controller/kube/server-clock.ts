/**
 * The API server's time. Every answer's `Date` header says it to the second; the answers of a while together say it
 * better. It runs on the monotonic clock, so that stepping the local clock changes nothing.
 */
export class ServerClock {
  readonly #monotonic: () => number;
  readonly #wall: () => number;
  /** Bounds of server time minus monotonic time. */
  #low = -Infinity;
  #high = Infinity;

  constructor(monotonic: () => number = () => performance.now(), wall: () => number = Date.now) {
    this.#monotonic = monotonic;
    this.#wall = wall;
  }

  /** The monotonic time, for {@link observe}. */
  mark(): number {
    return this.#monotonic();
  }

  /** Takes in a `Date` header of an answer whose request was sent at the mark. */
  observe(dateHeader: string | undefined, sentAt: number): void {
    const date = Date.parse(dateHeader ?? '');
    if (Number.isNaN(date)) return;
    const low = date - this.#monotonic();
    const high = date + 1000 - sentAt;
    const isConsistent = low <= this.#high && high >= this.#low;
    this.#low = isConsistent ? Math.max(low, this.#low) : low;
    this.#high = isConsistent ? Math.min(high, this.#high) : high;
  }

  /** Server time in milliseconds since 1970; local time before the first answer. */
  now(): number {
    if (this.#low === -Infinity) return this.#wall();
    return Math.round(this.#monotonic() + (this.#low + this.#high) / 2);
  }
}
