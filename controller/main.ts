import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { hostname } from 'node:os';
import { Registry } from 'prom-client';
import { LEASE_NAME } from '../lib/api/identity.js';
import { AgentController, type AgentRules } from './agent-controller.js';
import { crdState } from './finalize/crd-state.js';
import { DeletingFinalizer } from './finalize/finalizer.js';
import { liveBindings } from './finalize/live-bindings.js';
import { healthRoutes, type HealthCheck } from './http/health-routes.js';
import { serve, type ListeningServer } from './http/server.js';
import { KubeClient } from './kube/client.js';
import { inClusterConnection, inClusterNamespace, type Connection } from './kube/connection.js';
import { describeError } from './kube/errors.js';
import { fenced } from './kube/fence.js';
import { LeaderElection } from './kube/leader-election.js';
import type { Logger } from './log.js';
import { declareFamilies, type MetricFamilies } from './metrics/families.js';
import { serveMetrics } from './metrics/metrics-server.js';
import { declareProcessMetrics } from './metrics/process-metrics.js';
import type { ControllerOptions } from './options.js';
import type { JudgeRun } from './reconcile/run.js';
import { RunController } from './run-controller.js';
import { RESOURCES } from './kube/resources.js';
import { sleep } from './timing/sleep.js';

/** The rules that the controller runs by; all of them pure. */
export interface ControllerRules extends AgentRules {
  readonly judgeRun: JudgeRun;
}

/** What the composition root is given. */
export interface ControllerParts {
  readonly options: ControllerOptions;
  readonly rules: ControllerRules;
  readonly log: Logger;
  /** Aborted to stop the controller. */
  readonly signal: AbortSignal;
}

/** A watch that has been silent for so long makes the process unready: a bookmark is due every minute. */
const UNREADY_SILENCE_MS = 110_000;

/** A watch that has been silent for so long has hung in a way that nobody thought of; a new process may help. */
const DEAD_SILENCE_MS = 15 * 60_000;

/** A controller for many namespaces has more watches than an answer should name. */
const MAX_NAMED = 20;

/** Within the five seconds that a stop may take, with time left to close what is open. */
const DRAIN_MS = 3500;

/** Runs the controller until it is stopped, which is `stopped`, or until another process leads, which is `lost`. */
export async function runController(parts: ControllerParts): Promise<'stopped' | 'lost'> {
  const { options, log } = parts;
  const connection = await connect(options);
  const client = new KubeClient(connection);
  // Connections of its own: the Lease must not wait behind requests that hang, such as writes that a webhook holds up.
  const leases = new KubeClient(connection, { maxSockets: 2 });
  const registry = new Registry();
  const families = declareFamilies(registry);
  declareProcessMetrics(registry);
  const instance = `${hostname()}_${randomBytes(4).toString('hex')}`;
  const election = options.leaderElect ? elect(leases, instance, parts) : undefined;
  const shared = { ...parts, client: fenced(client, () => election?.isHeld ?? true), families, instance };
  const controllers: readonly KindController[] = [
    new AgentController({
      ...shared,
      makeFinalizer: (needs) =>
        new DeletingFinalizer({
          ...needs,
          isCrdGoing: crdState(needs.api, RESOURCES.agents),
          readBindings: liveBindings(needs.api, options.namespaces),
        }),
    }),
    new RunController({ ...shared, judge: parts.rules.judgeRun }),
  ];
  const stop = new AbortController();
  // Each watch listens; that is many, and no leak.
  setMaxListeners(0, stop.signal);
  const servers: ListeningServer[] = [];
  const role: Role = { isStandby: options.leaderElect };
  try {
    servers.push(...(await openServers({ options, client, registry, controllers, role })));
    const ports = servers.map((server) => server.port);
    log.info({ instance, ports, namespaces: options.namespaces }, 'controller started');
    for (const { cache } of controllers) void cache.run(stop.signal);
    const result = await work({ ...parts, election, controllers, families, instance, role });
    log.info({ result }, 'controller stops');
    return result;
  } finally {
    stop.abort();
    await drain(controllers);
    await Promise.all(servers.map((server) => server.close()));
    client.close();
    leases.close();
  }
}

/** One a kind. */
type KindController = AgentController | RunController;

interface Role {
  isStandby: boolean;
}

interface Working extends ControllerParts {
  /** Undefined for a process that works without a Lease. */
  readonly election: LeaderElection | undefined;
  readonly controllers: readonly KindController[];
  readonly families: MetricFamilies;
  readonly instance: string;
  readonly role: Role;
}

function elect(api: KubeClient, identity: string, { options, log }: ControllerParts): LeaderElection {
  return new LeaderElection({
    api,
    namespace: options.leaderElectionNamespace ?? inClusterNamespace() ?? 'default',
    name: LEASE_NAME,
    identity,
    onError: (error) => {
      log.warn({ error: describeError(error) }, 'lease could not be read or written');
    },
  });
}

async function work(parts: Working): Promise<'stopped' | 'lost'> {
  const { election, controllers, families, log, role, signal } = parts;
  if (election === undefined) {
    families.leader.set({ name: LEASE_NAME }, 1);
    startWhenSynced(controllers, log, signal);
    await aborted(signal);
    return 'stopped';
  }
  families.leader.set({ name: LEASE_NAME }, 0);
  if (!(await election.acquire(signal))) return 'stopped';
  log.info({ identity: parts.instance }, 'leading');
  families.leader.set({ name: LEASE_NAME }, 1);
  role.isStandby = false;
  startWhenSynced(controllers, log, signal);
  const result = await election.keep(signal);
  families.leader.set({ name: LEASE_NAME }, 0);
  // The lease is given back only after the last write, or two processes would write at one time.
  if (result === 'stopped') {
    await drain(controllers);
    await election.release();
  }
  return result;
}

/**
 * Passes before the cache is whole would report things as missing that are merely not read yet. Each kind waits for its
 * own cache: one that cannot be read holds up no other.
 */
function startWhenSynced(controllers: readonly KindController[], log: Logger, signal: AbortSignal): void {
  for (const controller of controllers) void startOne(controller, log, signal);
}

async function startOne(controller: KindController, log: Logger, signal: AbortSignal): Promise<void> {
  while (!controller.cache.feeds.isSettled) {
    if (signal.aborted) return;
    await sleep(20, signal);
  }
  controller.start();
  log.info({ kind: controller.kind, count: controller.count }, 'caches synced');
}

async function drain(controllers: readonly KindController[]): Promise<void> {
  const stopped = Promise.all(controllers.map((controller) => controller.stop()));
  await Promise.race([stopped, sleep(DRAIN_MS, new AbortController().signal)]);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else
      signal.addEventListener(
        'abort',
        () => {
          resolve();
        },
        { once: true },
      );
  });
}

async function connect(options: ControllerOptions): Promise<Connection> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env;
  const isExplicit = options.kubeconfig !== undefined || options.context !== undefined;
  if (!isExplicit && host !== undefined && port !== undefined) return inClusterConnection({ host, port });
  // Loaded late: a pod does not need it, and it is most of the memory of a process that runs from separate files.
  const { kubeconfigConnection } = await import('./kube/kubeconfig.js');
  return kubeconfigConnection(options.kubeconfig, options.context);
}

interface ServerParts {
  readonly options: ControllerOptions;
  readonly client: KubeClient;
  readonly registry: Registry;
  readonly controllers: readonly KindController[];
  readonly role: Role;
}

async function openServers(parts: ServerParts): Promise<readonly ListeningServer[]> {
  const { options, client, registry, controllers, role } = parts;
  const servers: ListeningServer[] = [];
  if (options.metricsAddress !== undefined) {
    const { metricsCertDir: certDir } = options;
    const secure = options.metricsSecure ? { api: client, ...(certDir === undefined ? {} : { certDir }) } : undefined;
    servers.push(
      await serveMetrics({
        address: options.metricsAddress,
        registry,
        beforeScrape: () => {
          for (const controller of controllers) controller.measure();
        },
        ...(secure === undefined ? {} : { secure }),
      }),
    );
  }
  if (options.healthAddress !== undefined) {
    const { live, ready } = healthChecks(controllers, role);
    servers.push(await serve(options.healthAddress, healthRoutes(live, ready)));
  }
  return servers;
}

function healthChecks(
  controllers: readonly KindController[],
  role: Role,
): { readonly live: readonly HealthCheck[]; readonly ready: readonly HealthCheck[] } {
  const isSynced = (): boolean => controllers.every(({ cache }) => cache.feeds.isSynced);
  const hasSeenAll = (): boolean => controllers.every((controller) => controller.hasSeenAll);
  const unheard = (silent: readonly string[]): string => {
    const more = silent.length - MAX_NAMED;
    const named = silent.slice(0, MAX_NAMED).join(', ');
    return silent.length === 0 ? '' : `nothing heard of ${named}${more > 0 ? ` and ${more} more` : ''}`;
  };
  const unanswered = (): readonly string[] =>
    controllers.flatMap(({ cache }) => cache.feeds.unansweredFor(DEAD_SILENCE_MS));
  const silent = (): readonly string[] => controllers.flatMap(({ cache }) => cache.feeds.silentFor(UNREADY_SILENCE_MS));
  return {
    live: [{ name: 'watches', problem: () => unheard(unanswered()) }],
    ready: [
      { name: 'caches', problem: () => (isSynced() ? '' : 'not every resource has been read yet') },
      { name: 'watches', problem: () => unheard(silent()) },
      {
        name: 'agents',
        problem: () => (role.isStandby || hasSeenAll() ? '' : 'not every agent and run has been looked at yet'),
      },
    ],
  };
}
