import { type KubeClient, type KubeManifest, pathOf } from '../cluster/client.js';
import type { PodState } from '../cluster/failure-stages.js';
import { podStateAnnotations, type PodStateOptions } from '../cluster/pods.js';
import { PATIENCE_MS, waitFor } from '../cluster/wait.js';
import type { AgentCondition } from './agents-on-bed.js';

/** The part of a stored status that tests read. */
export interface RunStatusOnBed {
  readonly phase?: string;
  readonly observedGeneration: number;
  readonly podName?: string;
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly duration?: number;
  readonly exitCode?: number;
  readonly conditions?: readonly AgentCondition[];
}

/** How a run of a test differs from one that succeeds. */
export interface RunParts {
  readonly spec?: object;
  /** What its pod comes to. @default complete */
  readonly pod?: PodState;
  readonly podOptions?: PodStateOptions;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Labels of the run and of its Job, beside those that rendering sets. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** Mark of Argo CD. */
export const ARGO_MARK = { 'argocd.argoproj.io/tracking-id': 'runs:hermes-gitops.dev/AgentRun:lab/sum-1' } as const;

/** A run and its Job as rendering has them, the run first. */
export function runWithJob(name: string, namespace: string, parts: RunParts = {}): readonly KubeManifest[] {
  const { spec = {}, pod, podOptions, annotations = {}, labels = {} } = parts;
  const own = {
    'app.kubernetes.io/managed-by': 'hermes-gitops',
    'hermes-gitops.dev/run': name,
    'hermes-gitops.dev/run-agent': 'mina',
  };
  const run: KubeManifest = {
    apiVersion: 'hermes-gitops.dev/v1alpha1',
    kind: 'AgentRun',
    metadata: { name, namespace, annotations, labels },
    spec: { agentRef: { name: 'mina' }, instructions: 'Sum up.', ...spec },
  };
  const job: KubeManifest = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: `hermes-run-${name}`, namespace, annotations, labels: { ...labels, ...own } },
    spec: {
      backoffLimit: 0,
      template: {
        metadata: { labels: own, ...(pod && { annotations: podStateAnnotations(pod, podOptions) }) },
        spec: {
          restartPolicy: 'Never',
          containers: [
            { name: 'agent', image: 'registry.example.net/hermes:v1', args: ['chat', '-Q', '-q', 'Sum up.'] },
          ],
        },
      },
    },
  };
  return [run, job];
}

/** A run and its Sandbox as rendering has them, the run first. */
export function runWithSandbox(name: string, namespace: string, parts: RunParts = {}): readonly KubeManifest[] {
  const spec = { ...parts.spec, workload: 'Sandbox' };
  const [run, job] = runWithJob(name, namespace, { ...parts, spec });
  if (run === undefined || job === undefined) throw new Error('no run');
  const { template } = job['spec'] as { readonly template: object };
  const apiVersion = 'agents.x-k8s.io/v1beta1';
  return [run, { apiVersion, kind: 'Sandbox', metadata: job.metadata, spec: { podTemplate: template } }];
}

/** Runs of a test, as it creates them and looks at them. */
export class RunsOnBed {
  readonly #client: KubeClient;
  readonly namespace: string;

  constructor(client: KubeClient, namespace: string) {
    this.#client = client;
    this.namespace = namespace;
  }

  get collection(): string {
    return `/apis/hermes-gitops.dev/v1alpha1/namespaces/${this.namespace}/agentruns`;
  }

  path(name: string): string {
    return `${this.collection}/${name}`;
  }

  jobPath(name: string): string {
    return `/apis/batch/v1/namespaces/${this.namespace}/jobs/hermes-run-${name}`;
  }

  /** Applies a run and its Job, as an engine does. */
  async start(name: string, parts: RunParts = {}): Promise<readonly KubeManifest[]> {
    const objects = runWithJob(name, this.namespace, parts);
    await this.apply(objects);
    return objects;
  }

  /** Applies a run and its Sandbox; the bed has no controller of Sandboxes. */
  async startSandbox(name: string, parts: RunParts = {}): Promise<readonly KubeManifest[]> {
    const objects = runWithSandbox(name, this.namespace, parts);
    await this.apply(objects);
    return objects;
  }

  /** Applies a run and its workload of that kind. */
  startIn(kind: 'Job' | 'Sandbox', name: string, parts: RunParts = {}): Promise<readonly KubeManifest[]> {
    return kind === 'Job' ? this.start(name, parts) : this.startSandbox(name, parts);
  }

  sandboxPath(name: string): string {
    return `/apis/agents.x-k8s.io/v1beta1/namespaces/${this.namespace}/sandboxes/hermes-run-${name}`;
  }

  workloadPath(kind: 'Job' | 'Sandbox', name: string): string {
    return kind === 'Job' ? this.jobPath(name) : this.sandboxPath(name);
  }

  async apply(objects: readonly KubeManifest[]): Promise<void> {
    const [run, ...others] = objects;
    if (run === undefined) return;
    await this.#apply(run);
    const owner = run.metadata.annotations?.['hermes-gitops.dev/origin'] === 'cli' && (await this.#ownerOf(run));
    for (const other of others) {
      await this.#apply(owner ? { ...other, metadata: { ...other.metadata, ownerReferences: [owner] } } : other);
    }
  }

  /** What the command creates belongs to its run, and nothing else is taken for it. */
  async #ownerOf(run: KubeManifest): Promise<object> {
    const { name, uid } = (await this.#client.get(pathOf(run))).metadata;
    return { apiVersion: run.apiVersion, kind: run.kind, name, uid, controller: true };
  }

  async #apply(object: KubeManifest): Promise<void> {
    await this.#client.apply(object, { force: true, fieldManager: 'engine' });
  }

  async status(name: string): Promise<RunStatusOnBed> {
    return (await this.#client.get(this.path(name)))['status'] as RunStatusOnBed;
  }

  async reach(name: string, phase: string, timeoutMs = PATIENCE_MS): Promise<RunStatusOnBed> {
    return waitFor(
      async () => {
        const status = await this.status(name);
        return status.phase === phase && status;
      },
      { what: `${name} in phase ${phase}`, timeoutMs },
    );
  }

  /** Waits until the run and its Job are gone. */
  async gone(name: string, timeoutMs = PATIENCE_MS): Promise<void> {
    await waitFor(
      async () => {
        const left = await Promise.all([this.#client.find(this.path(name)), this.#client.find(this.jobPath(name))]);
        return left.every((object) => object === undefined);
      },
      { what: `${name} and its Job to go`, timeoutMs },
    );
  }

  pods(name: string): Promise<readonly KubeManifest[]> {
    return this.#client.list(`/api/v1/namespaces/${this.namespace}/pods`, `hermes-gitops.dev/run=${name}`);
  }

  /** Whether the workload is told to make no pod. */
  async isStopped(kind: 'Job' | 'Sandbox', name: string): Promise<boolean> {
    const { suspend, operatingMode } = (await this.#client.get(this.workloadPath(kind, name)))['spec'] as {
      readonly suspend?: boolean;
      readonly operatingMode?: string;
    };
    return kind === 'Job' ? suspend === true : operatingMode === 'Suspended';
  }

  /** Waits until no pod of the run is left and its Job has none at work. */
  async slotFreed(name: string): Promise<void> {
    await waitFor(
      async () => {
        const job = await this.#client.find(this.jobPath(name));
        const status = job?.['status'] as { active?: number; terminating?: number } | undefined;
        const pods = (await this.pods(name)).filter(({ status: pod }) => {
          const { phase } = pod as { phase?: string };
          return phase !== 'Succeeded' && phase !== 'Failed';
        });
        return pods.length === 0 && (status?.active ?? 0) === 0 && (status?.terminating ?? 0) === 0;
      },
      { what: `the slot of ${name}` },
    );
  }

  /** `reason: note` of the events on a run. */
  async events(name: string): Promise<readonly string[]> {
    const events = await this.#client.list(`/apis/events.k8s.io/v1/namespaces/${this.namespace}/events`);
    return events
      .filter((event) => {
        const { kind, name: about } = event['regarding'] as { readonly kind?: string; readonly name?: string };
        return kind === 'AgentRun' && about === name;
      })
      .map((event) => `${String(event['reason'])}: ${String(event['note'])}`);
  }
}

/** The condition of this type. */
export function runCondition(status: RunStatusOnBed, type: string): AgentCondition | undefined {
  return status.conditions?.find((condition) => condition.type === type);
}

/** Counts the pods that were ever started in a namespace for each run, by their UIDs. */
export class StartedPods {
  readonly #client: KubeClient;
  readonly #namespace: string;
  readonly #uids = new Map<string, Set<string>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(client: KubeClient, namespace: string) {
    this.#client = client;
    this.#namespace = namespace;
    this.#timer = setInterval(() => void this.look().catch(() => undefined), 100);
  }

  async look(): Promise<void> {
    for (const { metadata } of await this.#client.list(`/api/v1/namespaces/${this.#namespace}/pods`)) {
      const run = metadata.labels?.['hermes-gitops.dev/run'] ?? '';
      this.#uids.set(run, (this.#uids.get(run) ?? new Set()).add(metadata.uid ?? ''));
    }
  }

  count(run: string): number {
    return this.#uids.get(run)?.size ?? 0;
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

/** Applies every object that is missing, again and again, as an engine that heals itself. */
export function startSelfHealer(
  client: KubeClient,
  objects: readonly KubeManifest[],
  everyMs: number,
): { readonly healed: () => number; readonly stop: () => void } {
  let healed = 0;
  const heal = async (): Promise<void> => {
    for (const object of objects) {
      if ((await client.find(pathOf(object))) !== undefined) continue;
      healed += 1;
      await client.apply(object, { force: true, fieldManager: 'engine' });
    }
  };
  const timer = setInterval(() => void heal().catch(() => undefined), everyMs);
  return {
    healed: () => healed,
    stop: () => {
      clearInterval(timer);
    },
  };
}
