import { parseAllDocuments } from 'yaml';
import { renderFleet } from '../../../lib/emit/fleet.js';
import { readFleet } from '../../../lib/fleet/read-fleet.js';
import { type KubeClient, type KubeManifest, pathOf } from '../../cluster/client.js';
import type { Delivery, Tree } from '../../cluster/engines/engine.js';
import { waitFor } from '../../cluster/wait.js';
import { AgentsOnBed, bareAgent, describeObject, type Gates } from '../../support/agents-on-bed.js';

const GATES: Gates = { allowedClusterRoles: [], allowedBindingNamespaces: [] };

/** Everything that is rendered for an agent, or made from that, by the path of its collection over all namespaces. */
const COLLECTIONS = [
  '/apis/hermes-gitops.dev/v1alpha1/hermesagents',
  '/apis/apps/v1/deployments',
  '/apis/apps/v1/replicasets',
  '/apis/rbac.authorization.k8s.io/v1/roles',
  '/apis/rbac.authorization.k8s.io/v1/rolebindings',
  '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
  '/apis/networking.k8s.io/v1/networkpolicies',
  '/apis/networking.k8s.io/v1/ingresses',
  '/api/v1/pods',
  '/api/v1/services',
  '/api/v1/serviceaccounts',
  '/api/v1/persistentvolumeclaims',
];

/** An agent as a person writes it. */
export interface WrittenAgent {
  readonly namespace: string;
  readonly name: string;
  readonly spec: object;
}

/** What synth writes for these agents. */
export function renderTree(agents: Iterable<WrittenAgent>, gates: Gates = GATES): Tree {
  const files = [...agents].map(({ namespace, name, spec }) => ({
    name: `agents/${namespace}/${name}.json`,
    bytes: Buffer.from(JSON.stringify(bareAgent(name, namespace, spec))),
  }));
  const { agents: read, problems } = readFleet(files, gates);
  const rendered = renderFleet(read);
  const errors = [...problems, ...rendered.problems].filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(JSON.stringify(errors));
  return rendered.files;
}

/** The objects of a rendered tree; what is for kustomize alone is not among them. */
export function objectsOf(tree: Tree): readonly KubeManifest[] {
  return [...tree]
    .filter(([path]) => path.endsWith('.yaml') && !path.endsWith('kustomization.yaml'))
    .flatMap(([, content]) => parseAllDocuments(Buffer.from(content).toString('utf8')))
    .map((document) => document.toJS() as KubeManifest);
}

/** Specs by the names of their agents. */
type Specs = Readonly<Record<string, object | undefined>>;

/** Agents whose truth is a repository that an engine syncs. */
export class FleetInGit extends AgentsOnBed {
  readonly delivery: Delivery;
  readonly #client: KubeClient;
  readonly #agents = new Map<string, WrittenAgent>();

  constructor(client: KubeClient, namespace: string, delivery: Delivery) {
    super(client, namespace);
    this.#client = client;
    this.delivery = delivery;
  }

  /**
   * Commits these specs, the others as they were; undefined removes an agent. `elsewhere` are agents of further
   * namespaces, by namespace and name.
   */
  async commit(specs: Specs, elsewhere: Readonly<Record<string, Specs>> = {}): Promise<void> {
    for (const [namespace, each] of Object.entries({ [this.namespace]: specs, ...elsewhere })) {
      for (const [name, spec] of Object.entries(each)) {
        if (spec === undefined) this.#agents.delete(`${namespace}/${name}`);
        else this.#agents.set(`${namespace}/${name}`, { namespace, name, spec });
      }
    }
    await this.delivery.publish(renderTree(this.#agents.values()));
  }

  /** The objects that Git holds now. */
  objects(): readonly KubeManifest[] {
    return objectsOf(renderTree(this.#agents.values()));
  }

  /** resourceVersion of every one of these objects in the cluster. */
  async versions(objects: readonly KubeManifest[]): Promise<Readonly<Record<string, string | undefined>>> {
    const found = await Promise.all(objects.map((object) => this.#client.get(pathOf(object))));
    return Object.fromEntries(found.map((object) => [describeObject(object), object.metadata.resourceVersion]));
  }

  /** What is in the cluster with the labels of an agent, in any namespace. */
  async labelled(name: string): Promise<readonly string[]> {
    const selector = `hermes-gitops.dev/agent=${name},hermes-gitops.dev/agent-namespace=${this.namespace}`;
    const lists = await Promise.all(
      COLLECTIONS.map(async (path) => {
        const list = await this.#client.get(path, { labelSelector: selector });
        const kind = list.kind.replace(/List$/, '');
        return (list['items'] as KubeManifest[]).map((item) => describeObject({ ...item, kind }));
      }),
    );
    return lists.flat();
  }

  /** Names of an agent's pods, the terminating ones included. */
  async pods(name: string): Promise<readonly string[]> {
    const path = `/api/v1/namespaces/${this.namespace}/pods`;
    return (await this.#client.list(path, `hermes-gitops.dev/agent=${name}`)).map(({ metadata }) => metadata.name);
  }

  /** Number of the newest rollout of an agent's Deployment: one more for every change of the pod template. */
  async revision(name: string): Promise<number> {
    const { metadata } = await this.#client.get(this.childPath('Deployment', `hermes-${name}`));
    return Number(metadata.annotations?.['deployment.kubernetes.io/revision']);
  }

  /** uid of an agent's claim; undefined when there is none. */
  async claim(name: string): Promise<string | undefined> {
    return (await this.#client.find(this.childPath('PersistentVolumeClaim', `hermes-${name}-data`)))?.metadata.uid;
  }

  /** Waits for a pod that is not one of these and is the only one. */
  async nextPod(name: string, former: readonly string[]): Promise<string> {
    return waitFor(
      async () => {
        const [pod, ...others] = await this.pods(name);
        return others.length === 0 && pod !== undefined && !former.includes(pod) && pod;
      },
      { what: `the next pod of ${name}` },
    );
  }

  childPath(kind: 'Deployment' | 'PersistentVolumeClaim' | 'Service', name: string): string {
    const apiVersion = kind === 'Deployment' ? 'apps/v1' : 'v1';
    return pathOf({ apiVersion, kind, metadata: { name, namespace: this.namespace } });
  }
}
