import type { ReadSecret } from '../kube/secret-reader.js';
import type { SecretObservation } from '../status/observed.js';
import { setLongTimeout, type LongTimeout } from '../timing/long-timeout.js';
import { objectKey } from './store.js';

/** One Secret that an agent needs, with the keys that it needs of it. No key: the Secret alone has to be there. */
export interface WantedSecret {
  readonly name: string;
  readonly keys: readonly string[];
}

export interface SecretWatchlistOptions {
  readonly read: ReadSecret;
  /** An agent that wants a Secret of which something changed. */
  readonly onChange: (agentKey: string) => void;
  /** Until the next look at a Secret that has all that is wanted of it. */
  readonly resolvedMs?: number;
  /** Until the next look at any other. */
  readonly unresolvedMs?: number;
  readonly random?: () => number;
}

interface Entry {
  readonly namespace: string;
  readonly name: string;
  readonly wanted: Map<string, ReadonlySet<string>>;
  observation?: SecretObservation;
  /** Whether the observation knows the keys. */
  hasKeys: boolean;
  reading?: Promise<void>;
  timer?: LongTimeout;
}

/**
 * What is known of the Secrets that agents refer to. The controller may only `get` Secrets, never list or watch them, so
 * each one is looked at again from time to time, once for all the agents that want it.
 */
export class SecretWatchlist {
  readonly #options: SecretWatchlistOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #byAgent = new Map<string, Set<string>>();
  #isStopped = false;

  constructor(options: SecretWatchlistOptions) {
    this.#options = options;
  }

  /** What is known of these Secrets of the namespace, after reading those never read before. */
  async observe(
    agentKey: string,
    namespace: string,
    wanted: readonly WantedSecret[],
  ): Promise<ReadonlyMap<string, SecretObservation>> {
    const entries = this.#want(agentKey, namespace, wanted);
    await Promise.all(entries.map((entry) => this.#ensureRead(entry)));
    const known = new Map<string, SecretObservation>();
    for (const entry of entries) {
      if (entry.observation !== undefined) known.set(entry.name, entry.observation);
    }
    return known;
  }

  /** The agent is gone; Secrets that nobody else wants are forgotten. */
  release(agentKey: string): void {
    for (const key of this.#byAgent.get(agentKey) ?? []) this.#drop(agentKey, key);
    this.#byAgent.delete(agentKey);
  }

  /** Ends every timer. */
  stop(): void {
    this.#isStopped = true;
    for (const entry of this.#entries.values()) entry.timer?.cancel();
  }

  #want(agentKey: string, namespace: string, wanted: readonly WantedSecret[]): readonly Entry[] {
    const former = this.#byAgent.get(agentKey) ?? new Set<string>();
    const current = new Set<string>();
    const entries = wanted.map(({ name, keys }) => {
      const key = objectKey({ namespace, name });
      const entry = this.#entries.get(key) ?? { namespace, name, wanted: new Map(), hasKeys: false };
      this.#entries.set(key, entry);
      entry.wanted.set(agentKey, new Set(keys));
      current.add(key);
      return entry;
    });
    for (const key of former) if (!current.has(key)) this.#drop(agentKey, key);
    if (current.size === 0) this.#byAgent.delete(agentKey);
    else this.#byAgent.set(agentKey, current);
    return entries;
  }

  #drop(agentKey: string, key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    entry.wanted.delete(agentKey);
    if (entry.wanted.size > 0) return;
    entry.timer?.cancel();
    this.#entries.delete(key);
  }

  async #ensureRead(entry: Entry): Promise<void> {
    if (entry.reading !== undefined) await entry.reading;
    if (entry.observation === undefined || (needsKeys(entry) && !entry.hasKeys)) await this.#read(entry);
    else if (entry.timer === undefined) this.#schedule(entry);
  }

  #read(entry: Entry): Promise<void> {
    entry.reading ??= this.#readNow(entry).finally(() => {
      delete entry.reading;
    });
    return entry.reading;
  }

  async #readNow(entry: Entry): Promise<void> {
    const withKeys = needsKeys(entry);
    entry.observation = await this.#options.read(entry, withKeys);
    entry.hasKeys = withKeys;
    this.#schedule(entry);
  }

  #schedule(entry: Entry): void {
    entry.timer?.cancel();
    delete entry.timer;
    if (this.#isStopped || entry.wanted.size === 0) return;
    const { resolvedMs = 300_000, unresolvedMs = 15_000, random = Math.random } = this.#options;
    const base = isResolved(entry) ? resolvedMs : unresolvedMs;
    // Earlier, never later: the times are promises.
    entry.timer = setLongTimeout(() => void this.#recheck(entry), base * (1 - 0.1 * random()));
  }

  async #recheck(entry: Entry): Promise<void> {
    const before = fingerprint(entry.observation);
    await this.#read(entry);
    if (fingerprint(entry.observation) === before) return;
    for (const agentKey of entry.wanted.keys()) this.#options.onChange(agentKey);
  }
}

function needsKeys(entry: Entry): boolean {
  return [...entry.wanted.values()].some((keys) => keys.size > 0);
}

function isResolved(entry: Entry): boolean {
  const { observation } = entry;
  if (observation?.state !== 'found') return false;
  return [...entry.wanted.values()].every((keys) => [...keys].every((key) => observation.keys.has(key)));
}

function fingerprint(observation: SecretObservation | undefined): string {
  if (observation?.state === 'found') return JSON.stringify([...observation.keys].sort());
  return JSON.stringify(observation ?? null);
}
