import type { RunCache } from '../cache/run-cache.js';
import { keepRun } from '../cache/transforms.js';
import type { KubeApi } from '../kube/client.js';
import { describeError, hasStatusCode } from '../kube/errors.js';
import type { RecordEvent } from '../kube/event-recorder.js';
import type { ObjectWriter } from '../kube/object-writer.js';
import type { StoredRun } from '../runs/objects.js';
import type { RunOptions } from '../runs/observed-run.js';
import { releasePlan, type ReleasePlan } from '../runs/release-plan.js';
import type { WorkloadWriter } from '../runs/workload-writer.js';
import { FinalizerHold, holds, isGivenUp, RETRY_MS } from './hold.js';
import type { FinalizeResult, ObjectFinalizer } from './object-finalizer.js';

export interface RunFinalizerParts {
  readonly api: Pick<KubeApi, 'now'>;
  readonly cache: Pick<RunCache, 'related'>;
  readonly writer: ObjectWriter;
  readonly workloads: WorkloadWriter;
  readonly record: RecordEvent;
  readonly options: RunOptions;
  /** Whether the AgentRun CRD itself is being deleted. */
  readonly isCrdGoing: () => Promise<boolean>;
}

/** Until the watch has most likely shown what a conflict was about. */
const STALE_MS = 250;

/** Stops or deletes the workload of a run and then lets the run go. Each step can be repeated. */
export class StoppingFinalizer implements ObjectFinalizer<StoredRun> {
  readonly #parts: RunFinalizerParts;
  readonly #hold: FinalizerHold<StoredRun>;

  constructor(parts: RunFinalizerParts) {
    this.#parts = parts;
    this.#hold = new FinalizerHold({ ...parts, keep: keepRun });
  }

  ensure(run: StoredRun): Promise<StoredRun> {
    return this.#hold.ensure(run);
  }

  async finalize(run: StoredRun): Promise<FinalizeResult> {
    if (!holds(run)) return { kind: 'released' };
    if (await this.#parts.isCrdGoing()) {
      this.#warn(run, 'the CustomResourceDefinition is being deleted: its workload is left alone');
      return this.#release(run);
    }
    const { namespace = '', name } = run.metadata;
    const { cache, options } = this.#parts;
    const plan = releasePlan({ run, ...cache.related({ namespace, name }), options });
    if (plan === undefined) return this.#release(run);
    try {
      await this.#carryOut(plan);
    } catch (error) {
      if (hasStatusCode(error, 409)) return { kind: 'again', afterMs: STALE_MS };
      const isGone = hasStatusCode(error, 404);
      if (!isGone && !isGivenUp(run, this.#parts.api.now())) return { kind: 'again', afterMs: RETRY_MS };
      if (!isGone) this.#warn(run, `given up: ${describePlan(plan)}: ${describeError(error)}`);
    }
    return this.#release(run);
  }

  #carryOut({ action, kind, workload }: ReleasePlan): Promise<void> {
    const { workloads } = this.#parts;
    return action === 'stop' ? workloads.stop(kind, workload) : workloads.remove(kind, workload);
  }

  async #release(run: StoredRun): Promise<FinalizeResult> {
    await this.#hold.release(run);
    return { kind: 'released' };
  }

  #warn(run: StoredRun, note: string): void {
    this.#parts.record(run, { type: 'Warning', reason: 'WorkloadKept', action: 'Finalize', note });
  }
}

function describePlan({ action, kind, workload }: ReleasePlan): string {
  return `${action} ${kind} ${workload.metadata.name}`;
}
