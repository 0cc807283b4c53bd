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

/** An object that tells an engine what to sync: a Kustomization or an Application. */
export interface SyncedUnit {
  readonly name: string;
  status(): Promise<DeliveryStatus>;
  /** Has the engine pass over it now, and not only when its interval is over. */
  refresh(): Promise<void>;
}

/** A folder in Git that an engine keeps a cluster in line with. */
export interface Delivery {
  /** Makes these files the whole content of the repository and tells the engine; resolves with the revision. */
  publish(files: Tree): Promise<string>;
  status(): Promise<DeliveryStatus>;
  /** What the engine's own comparison says of each object, `Kind namespace/name`: whether Git and cluster agree. */
  comparison(): Promise<ReadonlyMap<string, boolean>>;
  /** Waits until the cluster is as the newest revision says; `isHealthy` is not looked at. */
  synced(): Promise<DeliveryStatus>;
  /** Waits until the cluster is as the newest revision says, and healthy. */
  healthy(): Promise<DeliveryStatus>;
  /** Waits for so many passes of the engine, all begun after the call but perhaps the first. */
  passes(count: number): Promise<void>;
}

/** A repository that an engine can fetch. What it syncs of it is said by objects of the cluster. */
export interface HostedRepository {
  readonly url: string;
  /** Makes these files the whole content; resolves with the revision, as the engine writes it. */
  commit(files: Tree): Promise<string>;
  /** Has the engine look at the newest commit at once, wherever its objects name this repository. */
  announce(): Promise<void>;
}

/** An engine that runs on a bed. */
export interface GitOpsEngine {
  readonly name: string;
  /** Makes an empty repository. */
  host(name: string): Promise<HostedRepository>;
  /** The object of this name, which need not be there yet. */
  unit(name: string): SyncedUnit;
  /** Starts to sync a new repository; nothing is synced before the first `publish`. */
  deliver(name: string): Promise<Delivery>;
  /** Gives up what the bed does not end: servers in this process. */
  stop(): Promise<void>;
}

/**
 * Seconds between two passes of an engine over an unchanged revision. Who waits for one asks for it: passes that nobody
 * waits for would take the processor from those that count.
 */
export const SYNC_INTERVAL_SECONDS = 5;
