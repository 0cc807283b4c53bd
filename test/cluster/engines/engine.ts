/** Files of a repository: path with `/` to content. */
export type Tree = ReadonlyMap<string, string | Uint8Array>;

/** What an engine says about a folder that it syncs. */
export interface DeliveryStatus {
  /** The revision that the cluster was brought to last. */
  readonly revision: string | undefined;
  /** The cluster is as that revision says. */
  readonly isSynced: boolean;
  /** The engine takes everything for healthy; what is suspended counts as that. */
  readonly isHealthy: boolean;
  /** The engine's own words: reason or health, and message. */
  readonly message: string;
  /** Another text after every pass of the engine. */
  readonly pass: string;
}

/** A folder in Git that an engine keeps a cluster in line with. */
export interface Delivery {
  /** Makes these files the whole content of the repository and tells the engine; resolves with the revision. */
  publish(files: Tree): Promise<string>;
  status(): Promise<DeliveryStatus>;
  /** Waits until the cluster is as the newest revision says; `isHealthy` is not looked at. */
  synced(): Promise<DeliveryStatus>;
  /** Waits until the cluster is as the newest revision says, and healthy. */
  healthy(): Promise<DeliveryStatus>;
  /** Waits for so many passes of the engine, all begun after the call but perhaps the first. */
  passes(count: number): Promise<void>;
}

/** An engine that runs on a bed. */
export interface GitOpsEngine {
  readonly name: string;
  /** Starts to sync a new repository; nothing is synced before the first `publish`. */
  deliver(name: string): Promise<Delivery>;
  /** Gives up what the bed does not end: servers in this process. */
  stop(): Promise<void>;
}

/** Seconds between two passes of an engine over an unchanged revision. */
export const SYNC_INTERVAL_SECONDS = 1;
