import { sleep } from '../timing/sleep.js';
import type { KubeApi } from './client.js';
import { hasStatusCode } from './errors.js';
import { findObject } from './object-requests.js';
import { apiVersionOf, collectionPath, objectPath, RESOURCES } from './resources.js';

export interface LeaderElectionOptions {
  readonly api: KubeApi;
  readonly namespace: string;
  readonly name: string;
  /** Unique among the replicas. */
  readonly identity: string;
  /** After which a silent leader may be replaced. */
  readonly leaseMs?: number;
  /** After which a leader that cannot renew gives up by itself, before anybody may replace it. */
  readonly renewDeadlineMs?: number;
  readonly retryMs?: number;
  readonly onError: (error: unknown) => void;
}

interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
}

interface Lease {
  readonly metadata: { readonly resourceVersion?: string };
  readonly spec?: LeaseSpec;
}

/**
 * One leader among the replicas, by a Lease. How long the holder has been silent is measured on the own monotonic clock,
 * from when its last renewal was seen: the clocks of two replicas need not agree.
 */
export class LeaderElection {
  readonly #options: LeaderElectionOptions;
  readonly #leaseMs: number;
  #seen: { readonly record: string; readonly at: number } | undefined;
  #lease: Lease | undefined;
  /** When the last try that succeeded began. */
  #renewedAt = -Infinity;

  constructor(options: LeaderElectionOptions) {
    this.#options = options;
    this.#leaseMs = options.leaseMs ?? 15_000;
  }

  /** Whether nobody else can lead yet. By the monotonic clock: it goes on while the process is frozen. */
  get isHeld(): boolean {
    return this.#leftMs() > 0;
  }

  /** Resolves with true when this process leads, with false when the signal was aborted before. */
  async acquire(signal: AbortSignal): Promise<boolean> {
    const retryMs = this.#options.retryMs ?? 2000;
    while (!signal.aborted) {
      if (await this.#try()) return true;
      await sleep(retryMs * (1 + 0.2 * Math.random()), signal);
    }
    return false;
  }

  /**
   * Keeps leading; resolves with `lost`, or with `stopped` when the signal is aborted. Neither waits for an answer: the
   * deadline has to pass before anybody else may lead, and a try that hangs would take longer.
   */
  async keep(signal: AbortSignal): Promise<'lost' | 'stopped'> {
    const { retryMs = 2000 } = this.#options;
    for (;;) {
      await sleep(Math.min(retryMs, this.#leftMs()), signal);
      const isRenewed = !signal.aborted && (await Promise.race([this.#try(), sleep(this.#leftMs(), signal)]));
      if (signal.aborted) return 'stopped';
      if (isRenewed !== true && this.#leftMs() <= 0) return 'lost';
    }
  }

  /** Milliseconds until this process has to have renewed the lease. */
  #leftMs(): number {
    return this.#renewedAt + (this.#options.renewDeadlineMs ?? 10_000) - performance.now();
  }

  /** Gives the lease back, so that a standby need not wait for its end. */
  async release(): Promise<void> {
    if (this.#lease?.spec?.holderIdentity !== this.#options.identity) return;
    const spec = { ...this.#lease.spec, holderIdentity: '', leaseDurationSeconds: 1 };
    await this.#write(this.#lease, spec).catch(this.#options.onError);
  }

  async #try(): Promise<boolean> {
    const startedAt = performance.now();
    try {
      const lease = await this.#read();
      if (!this.#mayTake(lease)) {
        // Somebody else leads, whatever this process thought that it had left.
        this.#renewedAt = -Infinity;
        return false;
      }
      this.#lease = await this.#write(lease, this.#claim(lease?.spec));
      this.#renewedAt = startedAt;
      return true;
    } catch (error) {
      // Somebody else was faster; that is what the resourceVersion is for.
      if (!hasStatusCode(error, 409)) this.#options.onError(error);
      return false;
    }
  }

  #mayTake(lease: Lease | undefined): boolean {
    const holder = lease?.spec?.holderIdentity ?? '';
    if (holder === '' || holder === this.#options.identity) return true;
    const record = JSON.stringify(lease?.spec);
    if (this.#seen?.record !== record) this.#seen = { record, at: performance.now() };
    const duration = (lease?.spec?.leaseDurationSeconds ?? this.#leaseMs / 1000) * 1000;
    return performance.now() - this.#seen.at > duration;
  }

  #claim(former: LeaseSpec | undefined): LeaseSpec {
    const now = new Date(this.#options.api.now()).toISOString().replace('Z', '000Z');
    const isMine = former?.holderIdentity === this.#options.identity;
    return {
      holderIdentity: this.#options.identity,
      leaseDurationSeconds: Math.ceil(this.#leaseMs / 1000),
      acquireTime: isMine && former.acquireTime !== undefined ? former.acquireTime : now,
      renewTime: now,
      leaseTransitions: (former?.leaseTransitions ?? 0) + (isMine || former === undefined ? 0 : 1),
    };
  }

  async #read(): Promise<Lease | undefined> {
    const path = objectPath(RESOURCES.leases, this.#options);
    return (await findObject(this.#options.api, { path, timeoutMs: 5000 })) as Lease | undefined;
  }

  async #write(lease: Lease | undefined, spec: LeaseSpec): Promise<Lease> {
    const { api, namespace, name } = this.#options;
    const body = {
      apiVersion: apiVersionOf(RESOURCES.leases),
      kind: RESOURCES.leases.kind,
      metadata: { ...lease?.metadata, name, namespace },
      spec,
    };
    const written =
      lease === undefined
        ? await api.request({
            method: 'POST',
            path: collectionPath(RESOURCES.leases, namespace),
            body,
            timeoutMs: 5000,
          })
        : await api.request({
            method: 'PUT',
            path: objectPath(RESOURCES.leases, { namespace, name }),
            body,
            timeoutMs: 5000,
          });
    return written as Lease;
  }
}
