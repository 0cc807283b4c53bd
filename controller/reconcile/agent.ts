import { roleKey, type AgentCache } from '../cache/agent-cache.js';
import type { SecretWatchlist } from '../cache/secret-watchlist.js';
import { keepAgent } from '../cache/transforms.js';
import type { AgentFinalizer } from '../finalize/agent-finalizer.js';
import { AGENT } from '../kube/agent-kind.js';
import { hasStatusCode } from '../kube/errors.js';
import type { RecordEvent } from '../kube/event-recorder.js';
import type { Condition, StoredAgent } from '../kube/objects.js';
import type { ObjectWriter } from '../kube/object-writer.js';
import type { BindingGates, ObservedAgent, ProbeObservation, RoleObservation } from '../status/observed.js';
import type { Outcome } from './outcome.js';
import { PaceMemory } from './pace-memory.js';
import { passOver } from './pass.js';
import type { SpecFacts, SpecFactsCache, WantedRole } from './spec-facts.js';
import { StatusWriter } from './status-writer.js';
import { unwritable } from './unwritable.js';
import { holdBackMs } from './write-pace.js';

/** The status fields that a pass reads itself; the rest is only written. */
export interface ComputedStatus {
  readonly phase?: string;
  readonly observedGeneration?: number;
  readonly conditions?: readonly Condition[];
  readonly gateways?: readonly { readonly type: string; readonly ready: boolean }[];
}

/** The pure function that holds every rule. */
export type ComputeStatus = (
  observed: ObservedAgent,
  now: number,
) => { readonly status: ComputedStatus; readonly recheckAfterMs?: number };

/** Where the series of agents go. */
export interface AgentSeries {
  set(agent: StoredAgent, status: ComputedStatus): void;
  remove(agent: { readonly namespace: string; readonly name: string }): void;
}

/** What the dashboards of agents say. */
export interface DashboardProbe {
  /** From the first call on the agent's dashboard is asked; undefined when it is not to be. */
  observe(key: string): ProbeObservation | undefined;
  forget(key: string): void;
}

export interface AgentReconcilerParts {
  readonly cache: AgentCache;
  readonly secrets: SecretWatchlist;
  /** Without one the pod alone speaks for an agent. */
  readonly probe?: DashboardProbe;
  readonly facts: SpecFactsCache;
  readonly writer: ObjectWriter;
  readonly finalizer: AgentFinalizer;
  readonly series: AgentSeries;
  readonly record: RecordEvent;
  readonly gates: BindingGates;
  readonly compute: ComputeStatus;
  /** Server time. */
  readonly now: () => number;
  readonly onPhase: (agent: StoredAgent, status: ComputedStatus) => void;
}

/** Brings the status of one agent in line with the cluster: gather, compute, compare, apply. */
export class AgentReconciler {
  readonly #parts: AgentReconcilerParts;
  readonly #statuses: StatusWriter<StoredAgent>;
  readonly #pace = new PaceMemory();

  constructor(parts: AgentReconcilerParts) {
    this.#parts = parts;
    this.#statuses = new StatusWriter({
      ...parts,
      kind: AGENT,
      store: parts.cache.agents,
      keep: keepAgent,
      looksAgain: false,
    });
  }

  /** One pass over the agent of this key. Never rejects. */
  reconcile(key: string): Promise<Outcome> {
    return passOver(key, {
      store: this.#parts.cache.agents,
      finalizer: this.#parts.finalizer,
      statuses: this.#statuses,
      settle: (agent) => this.#settle(key, agent),
      forget: () => {
        this.#forget(key);
      },
    });
  }

  async #settle(key: string, agent: StoredAgent): Promise<Outcome> {
    const observed = await this.#observe(key, agent);
    // The Secrets took a while to read; the agent may be gone by now, and its series must not come back.
    if (!this.#parts.cache.agents.holds(agent)) return { kind: 'gone' };
    const now = this.#parts.now();
    const { status, recheckAfterMs } = this.#parts.compute(observed, now);
    this.#parts.series.set(agent, status);
    this.#pace.computed(key, status);
    const recheck = recheckAfterMs === undefined ? {} : { recheckAfterMs };
    if (!this.#statuses.isDue(key, agent, status)) {
      this.#pace.isStored(key);
      return { kind: 'settled', wrote: false, ...recheck };
    }
    const { creationTimestamp } = agent.metadata;
    const pace = this.#pace.isDue(key, { sinceWriteMs: this.#statuses.sinceWriteMs(key), creationTimestamp, now });
    const holdMs = holdBackMs(agent.status, status, pace);
    if (holdMs > 0)
      return { kind: 'settled', wrote: false, recheckAfterMs: Math.min(holdMs, recheckAfterMs ?? holdMs) };
    try {
      await this.#statuses.apply(key, agent, status);
    } catch (error) {
      const ready = status.conditions?.find((condition) => condition.type === 'Ready');
      if (hasStatusCode(error, 422) && ready !== undefined) {
        this.#parts.record(agent, unwritable(ready.reason, ready.message));
      }
      throw error;
    }
    this.#pace.wrote(key, agent.status, status, pace);
    if (status.phase !== undefined && status.phase !== agent.status?.phase) this.#announce(agent, status, status.phase);
    return { kind: 'settled', wrote: true, ...recheck };
  }

  async #observe(key: string, agent: StoredAgent): Promise<ObservedAgent> {
    const { cache, facts, secrets, gates } = this.#parts;
    const { namespace = '', name } = agent.metadata;
    const specFacts = facts.of(key, agent);
    // Secrets first: they are the only part that takes time, and the rest should be as it is now.
    const known = await secrets.observe(key, namespace, specFacts.secrets);
    const { bindings, ...related } = cache.related({ namespace, name });
    const probe = this.#parts.probe?.observe(key);
    return {
      agent,
      problems: specFacts.problems,
      ...(specFacts.specDigest === undefined ? {} : { specDigest: specFacts.specDigest }),
      ...related,
      secrets: known,
      bindings: this.#unwatched(specFacts) ?? { state: 'read', items: bindings },
      roles: new Map(specFacts.roles.map((role) => [role.key, this.#observeRole(role)])),
      gates,
      ...(probe === undefined ? {} : { probe }),
    };
  }

  #unwatched(facts: SpecFacts): { readonly state: 'unreadable'; readonly message: string } | undefined {
    const outside = facts.bindingScopes.filter((scope) => !this.#parts.cache.knows(scope));
    if (outside.length === 0) return undefined;
    const names = outside.map((scope) => (scope === undefined ? 'the cluster' : `namespace ${scope}`)).sort();
    return { state: 'unreadable', message: `bindings of ${names.join(', ')} are not watched` };
  }

  #observeRole(role: WantedRole): RoleObservation {
    const isThere = this.#parts.cache.hasRole(role);
    if (isThere === undefined) return { state: 'unreadable', message: `${roleKey(role)} is not watched` };
    return { state: isThere ? 'found' : 'missing' };
  }

  #announce(agent: StoredAgent, status: ComputedStatus, phase: string): void {
    const ready = status.conditions?.find((condition) => condition.type === 'Ready');
    this.#parts.onPhase(agent, status);
    this.#parts.record(agent, {
      type: phase === 'Degraded' || phase === 'Bootstrap' ? 'Warning' : 'Normal',
      reason: ready?.reason ?? phase,
      action: 'PhaseChanged',
      note: `${agent.status?.phase ?? 'new'} -> ${phase}: ${ready?.message ?? ''}`,
    });
  }

  #forget(key: string): void {
    const [namespace = '', name = ''] = key.split('/');
    this.#parts.series.remove({ namespace, name });
    this.#parts.secrets.release(key);
    this.#parts.probe?.forget(key);
    this.#parts.facts.forget(key);
    this.#statuses.forget(key);
    this.#pace.forget(key);
  }
}
