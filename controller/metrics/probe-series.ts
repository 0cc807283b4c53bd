import type { StoredAgent } from '../kube/objects.js';
import type { MetricFamilies } from './families.js';

/** Counts failed probes; an agent has its series exactly while it is probed. */
export class ProbeMetrics {
  readonly #failures: MetricFamilies['dashboardProbeFailures'];

  constructor(families: Pick<MetricFamilies, 'dashboardProbeFailures'>) {
    this.#failures = families.dashboardProbeFailures;
  }

  /** Starts at 0, so that the first failure is an increase. */
  begin(agent: StoredAgent): void {
    this.#failures.inc(labelsOf(agent), 0);
  }

  failed(agent: StoredAgent): void {
    this.#failures.inc(labelsOf(agent));
  }

  end(agent: StoredAgent): void {
    this.#failures.remove(labelsOf(agent));
  }
}

function labelsOf({ metadata }: StoredAgent): { readonly name: string; readonly namespace: string } {
  return { name: metadata.name, namespace: metadata.namespace ?? '' };
}
