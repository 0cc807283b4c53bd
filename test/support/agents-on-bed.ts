import { renderAgent } from '../../lib/children/render-agent.js';
import { validateAgent } from '../../lib/validation/validate-agent.js';
import { type KubeClient, type KubeManifest, pathOf } from '../cluster/client.js';
import { PATIENCE_MS, waitFor } from '../cluster/wait.js';
import { fetchPage, type ControllerProcess } from './controller-process.js';

/** What agents may be bound to. */
export interface Gates {
  readonly allowedClusterRoles: readonly string[];
  readonly allowedBindingNamespaces: readonly string[];
}

/** A stored condition. */
export interface AgentCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** The part of a stored status that tests read. */
export interface AgentStatus {
  readonly phase?: string;
  readonly observedGeneration: number;
  readonly podName?: string;
  readonly restarts?: number;
  readonly observedImage?: string;
  readonly conditions?: readonly AgentCondition[];
}

/** An agent that lacks nothing but its children. */
export function bareAgent(name: string, namespace: string, spec: object = {}): KubeManifest {
  return {
    apiVersion: 'hermes-gitops.dev/v1alpha1',
    kind: 'HermesAgent',
    metadata: { name, namespace },
    spec: {
      image: 'registry.example.net/hermes:v1',
      storage: {
        persistentVolumeClaim: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
      ...spec,
    },
  };
}

/** An agent and all that is rendered for it, the agent first. */
export function renderedAgent(
  name: string,
  namespace: string,
  spec: object = {},
  gates: Gates = { allowedClusterRoles: [], allowedBindingNamespaces: [] },
): readonly KubeManifest[] {
  const { agent, problems } = validateAgent(bareAgent(name, namespace, spec), gates);
  if (agent === undefined) throw new Error(JSON.stringify(problems));
  return renderAgent(agent) as unknown as readonly KubeManifest[];
}

/** Path of the agents of a namespace, or of one of them. */
export function agentsPath(namespace: string, name?: string): string {
  const collection = `/apis/hermes-gitops.dev/v1alpha1/namespaces/${namespace}/hermesagents`;
  return name === undefined ? collection : `${collection}/${name}`;
}

/** Agents of a test, as it creates them and looks at them. */
export class AgentsOnBed {
  readonly #client: KubeClient;
  readonly namespace: string;

  constructor(client: KubeClient, namespace: string) {
    this.#client = client;
    this.namespace = namespace;
  }

  path(name?: string): string {
    return agentsPath(this.namespace, name);
  }

  async apply(objects: readonly KubeManifest[]): Promise<void> {
    for (const object of objects) await this.#client.apply(object, { force: true });
  }

  async status(name: string): Promise<AgentStatus> {
    return (await this.#client.get(this.path(name)))['status'] as AgentStatus;
  }

  /** Waits until the status says this phase, about the spec as it is. */
  async reach(name: string, phase: string, timeoutMs = PATIENCE_MS): Promise<AgentStatus> {
    return waitFor(
      async () => {
        const agent = await this.#client.get(this.path(name));
        const status = agent['status'] as AgentStatus;
        return status.phase === phase && status.observedGeneration === agent.metadata.generation && status;
      },
      { what: `${name} in phase ${phase}`, timeoutMs },
    );
  }

  /** Waits until the agent itself is gone. */
  async gone(name: string, timeoutMs = PATIENCE_MS): Promise<void> {
    await waitFor(async () => (await this.#client.find(this.path(name))) === undefined, {
      what: `${name} to go`,
      timeoutMs,
    });
  }

  /** Of these objects, those that are there and are not being deleted, as `Kind namespace/name`. */
  async left(objects: readonly KubeManifest[]): Promise<readonly string[]> {
    const found = await Promise.all(objects.map((object) => this.#client.find(pathOf(object))));
    return found
      .filter((object) => object !== undefined)
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(describeObject);
  }

  /** Lines of the metrics about agents of this namespace. */
  async series(controller: ControllerProcess): Promise<readonly string[]> {
    const { body } = await fetchPage(controller.metricsUrl);
    return body.split('\n').filter((line) => line.includes(`namespace="${this.namespace}"`));
  }
}

/** `Kind namespace/name`. */
export function describeObject({ kind, metadata }: KubeManifest): string {
  return `${kind} ${metadata.namespace === undefined ? '' : `${metadata.namespace}/`}${metadata.name}`;
}

/** The condition of this type. */
export function conditionOf(status: AgentStatus, type: string): AgentCondition | undefined {
  return status.conditions?.find((condition) => condition.type === type);
}

/** Waits until the controller says that it is ready. */
export async function controllerReady(controller: ControllerProcess, timeoutMs = PATIENCE_MS): Promise<void> {
  await waitFor(async () => (await fetchPage(`${controller.healthUrl}/readyz`)).status === 200, {
    what: 'a ready controller',
    timeoutMs,
  });
}
