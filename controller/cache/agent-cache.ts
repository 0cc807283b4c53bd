import { LABELS } from '../../lib/api/identity.js';
import { agentResourceName } from '../../lib/names.js';
import type { Binding, Deployment, KubeObject, Pod, StoredAgent } from '../kube/objects.js';
import { RESOURCES, type ResourceType } from '../kube/resources.js';
import { Feeds, type FeedState, keepOf, typeOf, type FeedsOptions } from './feeds.js';
import { agentKeysOf, keysOfChange } from './ownership.js';
import { ObjectStore, objectKey, type StoreChange } from './store.js';
import { keepAgent, keepBinding, keepDeployment, keepPod } from './transforms.js';

export interface AgentCacheOptions extends FeedsOptions {
  /** An agent, or something that may be its child, changed. */
  readonly onAgentChange: (agentKey: string) => void;
  /** A role appeared or went; the key is that of {@link roleKey}. */
  readonly onRoleChange: (roleKey: string) => void;
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
  readonly #feeds: Feeds;

  constructor(options: AgentCacheOptions) {
    this.#options = options;
    this.#feeds = new Feeds({
      ...options,
      // Any agent may have bindings there.
      onNamespaceRead: () => {
        for (const key of this.agents.keys()) options.onAgentChange(key);
      },
    });
    this.agents = new ObjectStore<StoredAgent>(
      () => [],
      ({ former, current }) => {
        const metadata = (current ?? former)?.metadata;
        if (metadata !== undefined) options.onAgentChange(objectKey(metadata));
      },
    );
    this.#feeds.add({ resource: RESOURCES.agents, store: this.agents, keep: keepAgent });
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
  run(signal: AbortSignal): Promise<void> {
    return this.#feeds.run(signal);
  }

  /** How far everything has been read. */
  get feeds(): FeedState {
    return this.#feeds;
  }

  /** Whether objects of this namespace (undefined: cluster-scoped ones) are watched at all. */
  covers(namespace: string | undefined): boolean {
    return this.#feeds.covers(namespace);
  }

  /** Whether what is cached of this namespace (undefined: of what is cluster-scoped) is all that there is. */
  knows(namespace: string | undefined): boolean {
    return this.covers(namespace) && (namespace === undefined || !this.#feeds.isUnread(namespace));
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

  /** Whether the role is there; undefined when its namespace, or the cluster, cannot be looked at. */
  hasRole(role: { readonly kind: string; readonly namespace?: string; readonly name: string }): boolean | undefined {
    const isCluster = role.kind === 'ClusterRole';
    if (!this.knows(isCluster ? undefined : role.namespace)) return undefined;
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
    this.#feeds.add({ resource, store, keep, labelSelector: LABELS.agent, metadataOnly });
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
    this.#feeds.add({ resource, store, keep: keepOf(resource), metadataOnly: true });
    return store;
  }

  #touch(change: StoreChange<KubeObject>): void {
    for (const key of keysOfChange(change, agentKeysOf)) this.#options.onAgentChange(key);
  }
}
