import { objectKey } from '../cache/store.js';
import type { StoredAgent } from '../kube/objects.js';
import type { AgentSeries, ComputedStatus } from '../reconcile/agent.js';
import { PHASES, type MetricFamilies } from './families.js';

/** The label sets that one agent has now, beside the fixed ones. */
interface Shown {
  readonly image: string;
  /** By condition type. */
  readonly conditions: ReadonlyMap<string, { readonly status: string; readonly reason: string }>;
  /** Ready or not, by type. */
  readonly gateways: ReadonlyMap<string, boolean>;
}

/** Keeps exactly the series of the agents' present state. */
export class AgentMetrics implements AgentSeries {
  readonly #families: MetricFamilies;
  readonly #shown = new Map<string, Shown>();

  constructor(families: MetricFamilies) {
    this.#families = families;
  }

  set(agent: StoredAgent, status: ComputedStatus): void {
    const labels = { name: agent.metadata.name, namespace: agent.metadata.namespace ?? '' };
    const key = objectKey(labels);
    const former = this.#shown.get(key);
    const current = shownOf(agent, status);
    for (const phase of PHASES) this.#families.agentPhase.set({ ...labels, phase }, phase === status.phase ? 1 : 0);
    const isPodReady = current.conditions.get('PodReady')?.status === 'True';
    this.#families.agentPodReady.set(labels, isPodReady ? 1 : 0);
    this.#families.agentInfo.set({ ...labels, image: current.image }, 1);
    for (const [type, state] of current.conditions) this.#families.agentCondition.set({ ...labels, type, ...state }, 1);
    for (const [type, isReady] of current.gateways) {
      this.#families.agentGatewayReady.set({ ...labels, gateway_type: type }, isReady ? 1 : 0);
    }
    this.#shown.set(key, current);
    if (former !== undefined) this.#removeStale(labels, former, current);
  }

  remove(agent: { readonly namespace: string; readonly name: string }): void {
    const labels = { name: agent.name, namespace: agent.namespace };
    const key = objectKey(labels);
    const shown = this.#shown.get(key);
    if (shown === undefined) return;
    for (const phase of PHASES) this.#families.agentPhase.remove({ ...labels, phase });
    this.#families.agentPodReady.remove(labels);
    this.#families.agentInfo.remove({ ...labels, image: shown.image });
    for (const [type, state] of shown.conditions) this.#families.agentCondition.remove({ ...labels, type, ...state });
    for (const type of shown.gateways.keys()) {
      this.#families.agentGatewayReady.remove({ ...labels, gateway_type: type });
    }
    this.#shown.delete(key);
  }

  #removeStale(labels: { readonly namespace: string; readonly name: string }, former: Shown, current: Shown): void {
    if (former.image !== current.image) this.#families.agentInfo.remove({ ...labels, image: former.image });
    for (const type of former.gateways.keys()) {
      if (current.gateways.has(type)) continue;
      this.#families.agentGatewayReady.remove({ ...labels, gateway_type: type });
    }
    for (const [type, state] of former.conditions) {
      const now = current.conditions.get(type);
      if (now?.status === state.status && now.reason === state.reason) continue;
      this.#families.agentCondition.remove({ ...labels, type, ...state });
    }
  }
}

function shownOf(agent: StoredAgent, status: ComputedStatus): Shown {
  const image = (agent.spec as { readonly image?: unknown } | null | undefined)?.image;
  return {
    image: typeof image === 'string' ? image : '',
    conditions: new Map(
      (status.conditions ?? []).map(({ type, status: state, reason }) => [
        type,
        { status: state, reason: bounded(reason) },
      ]),
    ),
    gateways: new Map((status.gateways ?? []).map(({ type, ready }) => [type, ready])),
  };
}

/** A kubelet's waiting reason is shown as it is, so a label must not take whatever stands in a pod's status. */
function bounded(reason: string): string {
  return /^[A-Z][A-Za-z0-9]{0,62}$/.test(reason) ? reason : 'Other';
}
