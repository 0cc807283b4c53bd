/** Runs at most so many tasks at one time, the others in the order of their arrival. */
export class Lane {
  readonly #width: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(width: number) {
    this.#width = width;
  }

  /** Resolves or rejects as the task does, once it had its turn. */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#running < this.#width) this.#running++;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await task();
    } finally {
      // The place is handed on, so that nobody who comes now overtakes.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}
