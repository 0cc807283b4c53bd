import { objectKey } from '../cache/store.js';
import type { RunSeries } from '../reconcile/run.js';
import type { StoredRun } from '../runs/objects.js';
import type { ReapDecision, RunStatus, StopOrder } from '../runs/run-verdict.js';
import type { MetricFamilies } from './families.js';

/** Phases in the order of `hermes_agentrun_phase`; every group of runs has a series for each. */
const RUN_PHASES = ['Pending', 'Running', 'Succeeded', 'Failed'] as const;

/** Why the controller stopped a workload or deleted a run. */
const REAP_REASONS: readonly (StopOrder['reason'] | Extract<ReapDecision, { kind: 'delete' }>['reason'])[] = [
  'StartFailed',
  'Finished',
  'Restarted',
  'TTL',
];

interface Shown {
  readonly namespace: string;
  readonly agent: string;
  readonly phase: string;
}

type Families = Pick<MetricFamilies, 'runPhase' | 'runDuration' | 'runStartup' | 'runReaped'>;

/**
 * Counts runs by namespace, agent and phase: runs come and go, and a series for each would never end. What took how long
 * is observed when the result is stored, so that neither a restart nor a second look counts it again.
 */
export class RunMetrics implements RunSeries {
  readonly #families: Families;
  readonly #shown = new Map<string, Shown>();
  readonly #counts = new Map<string, Map<string, number>>();

  constructor(families: Families) {
    this.#families = families;
    for (const reason of REAP_REASONS) families.runReaped.inc({ reason }, 0);
    for (const phase of ['Succeeded', 'Failed']) families.runDuration.zero({ phase });
  }

  set(run: StoredRun, { phase }: RunStatus): void {
    const { namespace = '' } = run.metadata;
    const key = objectKey(run.metadata);
    const former = this.#shown.get(key);
    const current = { namespace, agent: agentOf(run), phase };
    if (former?.agent === current.agent && former.phase === phase) return;
    this.#shown.set(key, current);
    this.#count(current, 1);
    if (former !== undefined) this.#count(former, -1);
  }

  passed(run: StoredRun, status: RunStatus): void {
    const former = run.status ?? {};
    const isOver = status.completionTime !== undefined;
    if (isOver && former.completionTime === undefined && status.duration !== undefined) {
      this.#families.runDuration.observe({ phase: status.phase }, status.duration);
    }
    const hasStarted = status.phase === 'Running' || status.exitCode !== undefined;
    const isFirst = former.phase !== 'Running' && former.completionTime === undefined;
    const startup = (Date.parse(status.startTime ?? '') - Date.parse(run.metadata.creationTimestamp)) / 1000;
    // The two times are the API server's and the node's.
    if (hasStarted && isFirst && !Number.isNaN(startup)) this.#families.runStartup.observe(Math.max(0, startup));
  }

  stopped(reason: StopOrder['reason']): void {
    this.#families.runReaped.inc({ reason });
  }

  deleted(reason: Extract<ReapDecision, { kind: 'delete' }>['reason']): void {
    this.#families.runReaped.inc({ reason });
  }

  remove(run: { readonly namespace: string; readonly name: string }): void {
    const key = objectKey(run);
    const shown = this.#shown.get(key);
    if (shown === undefined) return;
    this.#shown.delete(key);
    this.#count(shown, -1);
  }

  #count({ namespace, agent, phase }: Shown, change: number): void {
    const group = JSON.stringify([namespace, agent]);
    const counts = this.#counts.get(group) ?? new Map<string, number>();
    counts.set(phase, (counts.get(phase) ?? 0) + change);
    const isEmpty = [...counts.values()].every((count) => count === 0);
    if (isEmpty) this.#counts.delete(group);
    else this.#counts.set(group, counts);
    for (const one of RUN_PHASES) {
      const labels = { namespace, agent, phase: one };
      if (isEmpty) this.#families.runPhase.remove(labels);
      else this.#families.runPhase.set(labels, counts.get(one) ?? 0);
    }
  }
}

/** Empty for a run with an image of its own. */
function agentOf({ spec }: StoredRun): string {
  const name = (spec as { readonly agentRef?: { readonly name?: unknown } | null } | null | undefined)?.agentRef?.name;
  return typeof name === 'string' ? name : '';
}
