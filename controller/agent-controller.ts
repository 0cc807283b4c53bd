import { AgentCache } from './cache/agent-cache.js';
import { SecretWatchlist } from './cache/secret-watchlist.js';
import { noFinalizer, type AgentFinalizer } from './finalize/agent-finalizer.js';
import { AGENT } from './kube/agent-kind.js';
import type { KubeApi } from './kube/client.js';
import type { RecordEvent } from './kube/event-recorder.js';
import type { ControllerClient } from './kube/fence.js';
import { objectWriter, type ObjectWriter } from './kube/object-writer.js';
import { RESOURCES } from './kube/resources.js';
import { secretReader } from './kube/secret-reader.js';
import type { Logger } from './log.js';
import { AgentMetrics } from './metrics/agent-series.js';
import type { MetricFamilies } from './metrics/families.js';
import { ProbeMetrics } from './metrics/probe-series.js';
import { objectEvents } from './object-events.js';
import type { ControllerOptions } from './options.js';
import { DrainWarnings } from './probe/drain-warning.js';
import { askPod, askThroughApiServer } from './probe/exchange.js';
import { DashboardProber } from './probe/prober.js';
import { probeTarget } from './probe/target.js';
import { AgentReconciler, type ComputeStatus } from './reconcile/agent.js';
import { passWhereRead } from './reconcile/pass.js';
import { SpecFactsCache, type SpecRules } from './reconcile/spec-facts.js';
import { watchReporter } from './watch-reporter.js';
import { WorkQueue } from './work-queue.js';

/** The rules of agents; all of them pure. */
export interface AgentRules extends SpecRules {
  readonly compute: ComputeStatus;
}

export interface AgentControllerParts {
  readonly client: ControllerClient;
  readonly options: ControllerOptions;
  readonly rules: AgentRules;
  readonly families: MetricFamilies;
  readonly log: Logger;
  /** Name of this process, unique among replicas. */
  readonly instance: string;
  /** Nothing is held, and nothing deleted, without one. */
  readonly makeFinalizer?: (parts: FinalizerNeeds) => AgentFinalizer;
}

/** What a finalizer works with. */
export interface FinalizerNeeds {
  readonly api: KubeApi;
  readonly cache: AgentCache;
  readonly writer: ObjectWriter;
  readonly record: RecordEvent;
}

/** Cache, queue and reconciler of agents, put together. */
export class AgentController {
  /** What the log calls the objects. */
  readonly kind = 'agents';
  readonly cache: AgentCache;
  readonly #queue: WorkQueue;
  readonly #secrets: SecretWatchlist;
  readonly #prober: DashboardProber;

  constructor(parts: AgentControllerParts) {
    const { client, options, rules, families, log } = parts;
    const facts = new SpecFactsCache(rules);
    this.#secrets = new SecretWatchlist({
      read: secretReader(client),
      onChange: (key) => {
        this.#queue.add(key);
      },
    });
    this.cache = new AgentCache({
      api: client,
      namespaces: options.namespaces,
      onAgentChange: (key) => {
        this.#queue.addChanged(key);
      },
      onRoleChange: (role) => {
        for (const key of facts.agentsOfRole(role)) this.#queue.add(key);
      },
      observe: (resource) => watchReporter(resource, families, log),
    });
    const record = objectEvents(parts, RESOURCES.agents);
    this.#prober = this.#makeProber(parts, record);
    const reconciler = this.#reconciler(parts, facts, record);
    this.#queue = new WorkQueue({
      what: 'agent',
      name: 'hermesagent',
      concurrency: options.concurrency,
      reconcile: passWhereRead(this.cache.feeds, (key) => reconciler.reconcile(key)),
      families,
      log,
    });
  }

  /** Begins to work: the cache must be synced. */
  start(): void {
    this.#queue.start(this.cache.agents.keys());
  }

  /** Whether every agent that was there at the start has been looked at, so that none lacks its series. */
  get hasSeenAll(): boolean {
    return this.#queue.hasSeenAll;
  }

  /** Agents that there are. */
  get count(): number {
    return this.cache.agents.size;
  }

  /** Brings the gauges of work in hand up to date. */
  measure(): void {
    this.#queue.measure();
  }

  /** Takes no more work, and resolves when what is in hand is finished. */
  async stop(): Promise<void> {
    this.#secrets.stop();
    this.#prober.stop();
    await this.#queue.drain();
  }

  #makeProber({ client, options, families }: AgentControllerParts, record: RecordEvent): DashboardProber {
    const warnings = new DrainWarnings(record);
    return new DashboardProber({
      find: (key) => {
        const agent = this.cache.agents.get(key);
        if (agent === undefined) return undefined;
        const { namespace = '', name } = agent.metadata;
        return probeTarget(agent, this.cache.related({ namespace, name }));
      },
      ask: options.probeViaApiServer ? askThroughApiServer(client) : askPod,
      onChange: (key) => {
        this.#queue.add(key);
      },
      onAnswer: (agent, answer) => {
        warnings.look(agent, answer);
      },
      onEnd: (key) => {
        warnings.forget(key);
      },
      counter: new ProbeMetrics(families),
      intervalMs: options.dashboardProbeIntervalSeconds * 1000,
      now: () => client.now(),
    });
  }

  #reconciler(parts: AgentControllerParts, facts: SpecFactsCache, record: RecordEvent): AgentReconciler {
    const { client, options, rules, families, log } = parts;
    const writer = objectWriter(client, AGENT);
    return new AgentReconciler({
      cache: this.cache,
      secrets: this.#secrets,
      probe: this.#prober,
      facts,
      writer,
      finalizer: parts.makeFinalizer?.({ api: client, cache: this.cache, writer, record }) ?? noFinalizer,
      series: new AgentMetrics(families),
      record,
      gates: {
        allowedClusterRoles: options.allowedClusterRoles,
        allowedBindingNamespaces: options.allowedBindingNamespaces,
      },
      compute: rules.compute,
      now: () => client.now(),
      onPhase: (agent, status) => {
        const { namespace = '', name } = agent.metadata;
        const reason = status.conditions?.find((condition) => condition.type === 'Ready')?.reason;
        log.info({ agent: `${namespace}/${name}`, phase: status.phase, reason }, 'agent changed phase');
      },
    });
  }
}
