import { LABELS } from '../../lib/api/identity.js';
import { agentResourceName } from '../../lib/names.js';
import type { KubeApi } from '../kube/client.js';
import type { Binding, Deployment, KubeObject, Pod, StoredAgent } from '../kube/objects.js';
import { Reflector, type ReflectorObserver, type ReflectorTiming } from '../kube/reflector.js';
import { apiVersionOf, RESOURCES, type ResourceType } from '../kube/resources.js';
import type { StreamApi } from '../kube/watch.js';
import { agentKeysOf } from './ownership.js';
import { ObjectStore, objectKey, type StoreChange } from './store.js';
import { keepAgent, keepBinding, keepDeployment, keepMetadata, keepPod } from './transforms.js';

export interface AgentCacheOptions {
  readonly api: KubeApi & StreamApi;
  /** Empty: the whole cluster. Otherwise these alone, and nothing cluster-scoped. */
  readonly namespaces: readonly string[];
  /** An agent, or something that may be its child, changed. */
  readonly onAgentChange: (agentKey: string) => void;
  /** A role appeared or went; the key is that of {@link roleKey}. */
  readonly onRoleChange: (roleKey: string) => void;
  readonly observe: (resource: ResourceType) => ReflectorObserver;
  readonly timing?: ReflectorTiming;
}

/** What the cluster holds beside one agent, selected by label and nothing else. */
export interface RelatedObjects {
  readonly deployment?: Deployment;
  readonly replicaSets: readonly KubeObject[];
  readonly pods: readonly Pod[];
  readonly bindings: readonly Binding[];
  readonly children: readonly KubeObject[];
}

/** `<kind>/<namespace>/<name>`; the namespace is empty for a ClusterRole. */
export function roleKey(role: { readonly kind: string; readonly namespace?: string; readonly name: string }): string {
  return `${role.kind}/${role.namespace ?? ''}/${role.name}`;
}

interface Feed<T extends KubeObject> {
  readonly resource: ResourceType;
  readonly store: ObjectStore<T>;
  readonly keep: (raw: unknown) => T | undefined;
  readonly labelSelector?: string;
  readonly metadataOnly?: boolean;
}

/** Kinds of which only the metadata matters: they are looked at to find what is left over, and to delete it. */
const CHILD_RESOURCES = [
  RESOURCES.services,
  RESOURCES.claims,
  RESOURCES.serviceAccounts,
  RESOURCES.networkPolicies,
  RESOURCES.ingresses,
] as const;

/** All that the controller knows of the cluster, kept current by one watch per resource. */
export class AgentCache {
  readonly agents: ObjectStore<StoredAgent>;
  readonly #options: AgentCacheOptions;
  readonly #deployments: ObjectStore<Deployment>;
  readonly #replicaSets: ObjectStore<KubeObject>;
  readonly #pods: ObjectStore<Pod>;
  readonly #bindings: ObjectStore<Binding>;
  readonly #clusterBindings: ObjectStore<Binding>;
  readonly #roles: ObjectStore<KubeObject>;
  readonly #clusterRoles: ObjectStore<KubeObject>;
  readonly #children: readonly ObjectStore<KubeObject>[];
  readonly #reflectors: Reflector<KubeObject>[] = [];

  constructor(options: AgentCacheOptions) {
    this.#options = options;
    this.agents = new ObjectStore<StoredAgent>(
      () => [],
      ({ former, current }) => {
        const metadata = (current ?? former)?.metadata;
        if (metadata !== undefined) options.onAgentChange(objectKey(metadata));
      },
    );
    this.#feed({ resource: RESOURCES.agents, store: this.agents, keep: keepAgent });
    this.#deployments = this.#childStore(RESOURCES.deployments, keepDeployment);
    this.#pods = this.#childStore(RESOURCES.pods, keepPod);
    this.#replicaSets = this.#childStore(RESOURCES.replicaSets, keepOf(RESOURCES.replicaSets), true);
    this.#bindings = this.#childStore(RESOURCES.roleBindings, keepBinding(typeOf(RESOURCES.roleBindings)));
    this.#children = CHILD_RESOURCES.map((resource) => this.#childStore(resource, keepOf(resource), true));
    this.#clusterBindings = this.#childStore(
      RESOURCES.clusterRoleBindings,
      keepBinding(typeOf(RESOURCES.clusterRoleBindings)),
    );
    this.#roles = this.#roleStore(RESOURCES.roles);
    this.#clusterRoles = this.#roleStore(RESOURCES.clusterRoles);
  }

  /** Runs every watch until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#reflectors.map((reflector) => reflector.run(signal)));
  }

  /** Whether every resource has been read to the end at least once. */
  get isSynced(): boolean {
    return this.#reflectors.every((reflector) => reflector.isSynced);
  }

  /** Resources that have not been read yet, or of which the server has said nothing for so long. */
  silentFor(limitMs: number): readonly string[] {
    return this.#reflectors
      .filter((reflector) => reflector.silentForMs() > limitMs)
      .map((reflector) => reflector.selection.resource.plural);
  }

  /** Whether objects of this namespace (undefined: cluster-scoped ones) are watched at all. */
  covers(namespace: string | undefined): boolean {
    const { namespaces } = this.#options;
    return namespaces.length === 0 || (namespace !== undefined && namespaces.includes(namespace));
  }

  /** What is selected by the labels of an agent. */
  related(agent: { readonly namespace: string; readonly name: string }): RelatedObjects {
    const key = objectKey(agent);
    const deployment = this.#deployments.get(objectKey({ ...agent, name: agentResourceName(agent.name) }));
    return {
      ...(deployment === undefined ? {} : { deployment }),
      replicaSets: this.#replicaSets.byIndex(key),
      pods: this.#pods.byIndex(key),
      bindings: [...this.#bindings.byIndex(key), ...this.#clusterBindings.byIndex(key)],
      children: [...this.#children, this.#roles].flatMap((store) => store.byIndex(key)),
    };
  }

  /** Whether the role is there; undefined when its namespace, or the cluster, is not watched. */
  hasRole(role: { readonly kind: string; readonly namespace?: string; readonly name: string }): boolean | undefined {
    const isCluster = role.kind === 'ClusterRole';
    if (!this.covers(isCluster ? undefined : role.namespace)) return undefined;
    if (isCluster) return this.#clusterRoles.get(role.name) !== undefined;
    return this.#roles.get(`${role.namespace ?? ''}/${role.name}`) !== undefined;
  }

  #childStore<T extends KubeObject>(
    resource: ResourceType,
    keep: (raw: unknown) => T | undefined,
    metadataOnly = false,
  ): ObjectStore<T> {
    const store = new ObjectStore<T>(agentKeysOf, (change) => {
      this.#touch(change);
    });
    this.#feed({ resource, store, keep, labelSelector: LABELS.agent, metadataOnly });
    return store;
  }

  /** Roles are not selected by label: a binding of a spec may name any role. */
  #roleStore(resource: ResourceType): ObjectStore<KubeObject> {
    const store = new ObjectStore<KubeObject>(agentKeysOf, (change) => {
      this.#touch(change);
      const metadata = (change.current ?? change.former)?.metadata;
      const isNewOrGone = change.current === undefined || change.former === undefined;
      if (metadata !== undefined && isNewOrGone) {
        this.#options.onRoleChange(roleKey({ ...metadata, kind: resource.kind }));
      }
    });
    this.#feed({ resource, store, keep: keepOf(resource), metadataOnly: true });
    return store;
  }

  #touch({ former, current }: StoreChange<KubeObject>): void {
    const keys = new Set([former, current].flatMap((object) => (object === undefined ? [] : agentKeysOf(object))));
    for (const key of keys) this.#options.onAgentChange(key);
  }

  #feed<T extends KubeObject>(feed: Feed<T>): void {
    const { namespaces } = this.#options;
    if (namespaces.length === 0) this.#reflect(feed, undefined);
    else if (feed.resource.namespaced) for (const namespace of namespaces) this.#reflect(feed, namespace);
  }

  #reflect<T extends KubeObject>(feed: Feed<T>, namespace: string | undefined): void {
    const { api, observe, timing } = this.#options;
    const { resource, store, keep, labelSelector, metadataOnly = false } = feed;
    const reflector = new Reflector<T>({
      api,
      selection: {
        resource,
        metadataOnly,
        ...(namespace === undefined ? {} : { namespace }),
        ...(labelSelector === undefined ? {} : { labelSelector }),
      },
      sink: {
        transform: keep,
        replace: (items) => {
          store.replace(items, namespace);
        },
        upsert: (item) => {
          store.upsert(item);
        },
        remove: (item) => {
          store.remove(item);
        },
      },
      observer: observe(resource),
      ...(timing === undefined ? {} : { timing }),
    });
    this.#reflectors.push(reflector);
  }
}

function typeOf(resource: ResourceType): { readonly apiVersion: string; readonly kind: string } {
  return { apiVersion: apiVersionOf(resource), kind: resource.kind };
}

function keepOf(resource: ResourceType): (raw: unknown) => KubeObject | undefined {
  return keepMetadata(typeOf(resource));
}
