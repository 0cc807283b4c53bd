import { RUN_CONDITION_TYPES } from '../../lib/api/run-reasons.js';
import type { RunCache } from '../cache/run-cache.js';
import { objectKey } from '../cache/store.js';
import { keepRun } from '../cache/transforms.js';
import type { ObjectFinalizer } from '../finalize/object-finalizer.js';
import { describeError, hasStatusCode } from '../kube/errors.js';
import type { ReadEvents } from '../kube/event-reader.js';
import type { RecordEvent } from '../kube/event-recorder.js';
import type { Pod } from '../kube/objects.js';
import type { ObjectWriter } from '../kube/object-writer.js';
import { RUN } from '../kube/run-kind.js';
import type { DeletionRecord } from '../runs/deletion-record.js';
import type { StoredRun } from '../runs/objects.js';
import type { ObservedRun, RunOptions } from '../runs/observed-run.js';
import type { ReapDecision, RunStatus, RunVerdict, StopOrder } from '../runs/run-verdict.js';
import type { WorkloadWriter } from '../runs/workload-writer.js';
import type { Outcome } from './outcome.js';
import { passOver } from './pass.js';
import { unwritable } from './unwritable.js';
import { StatusWriter } from './status-writer.js';

/** The pure function that holds every rule of runs. */
export type JudgeRun = (observed: ObservedRun, now: number) => RunVerdict;

/** Where the series of runs go. */
export interface RunSeries {
  /** The state of a run, whenever it is looked at. */
  set(run: StoredRun, status: RunStatus): void;
  /** A status was stored: what happened between the two is counted, once. */
  passed(run: StoredRun, status: RunStatus): void;
  stopped(reason: StopOrder['reason']): void;
  deleted(reason: Extract<ReapDecision, { kind: 'delete' }>['reason']): void;
  remove(run: { readonly namespace: string; readonly name: string }): void;
}

export interface RunReconcilerParts {
  readonly cache: Pick<RunCache, 'runs' | 'related' | 'forgetPods'>;
  readonly writer: ObjectWriter;
  readonly workloads: WorkloadWriter;
  /** Deletes a run in the state that was judged. Conflict (409) when it has changed. */
  readonly remove: (run: StoredRun) => Promise<void>;
  readonly deletions: Pick<DeletionRecord, 'known' | 'find' | 'note'>;
  readonly readEvents: ReadEvents;
  /** The pods with the label of the run, as the API server has them now. */
  readonly readPods: (run: StoredRun) => Promise<readonly Pod[]>;
  readonly finalizer: ObjectFinalizer<StoredRun>;
  readonly series: RunSeries;
  readonly record: RecordEvent;
  readonly options: RunOptions;
  readonly judge: JudgeRun;
  /** Server time. */
  readonly now: () => number;
  readonly onPhase: (run: StoredRun, status: RunStatus) => void;
}

/** Until the watch has most likely shown what a conflict was about. */
const STALE_MS = 250;

/** Brings one run in line: gather, judge, store the status, then stop and reap as it says. */
export class RunReconciler {
  readonly #parts: RunReconcilerParts;
  readonly #statuses: StatusWriter<StoredRun>;

  constructor(parts: RunReconcilerParts) {
    this.#parts = parts;
    this.#statuses = new StatusWriter({
      ...parts,
      kind: RUN,
      store: parts.cache.runs,
      keep: keepRun,
      looksAgain: true,
    });
  }

  /** One pass over the run of this key. Never rejects. */
  reconcile(key: string): Promise<Outcome> {
    return passOver(key, {
      store: this.#parts.cache.runs,
      finalizer: this.#parts.finalizer,
      statuses: this.#statuses,
      settle: (run) => this.#settle(key, run),
      forget: () => {
        this.#forget(key);
      },
    });
  }

  async #settle(key: string, run: StoredRun): Promise<Outcome> {
    const { observed, verdict } = await this.#judge(run);
    // Reading took a while; the run may be gone by now, and its series must not come back.
    if (!this.#parts.cache.runs.holds(run)) return { kind: 'gone' };
    const { status, recheckAfterMs } = verdict;
    this.#parts.series.set(run, status);
    const wrote = this.#statuses.isDue(key, run, status);
    const stored = wrote ? await this.#write(key, run, status) : run;
    if (wrote) this.#afterWrite(run, status);
    if (status.completionTime !== undefined) this.#parts.cache.forgetPods(key);
    for (const event of verdict.events) this.#parts.record(stored, event);
    const isActed = await this.#act(stored, observed, verdict);
    if (!isActed) return { kind: 'settled', wrote, recheckAfterMs: STALE_MS };
    return { kind: 'settled', wrote, ...(recheckAfterMs === undefined ? {} : { recheckAfterMs }) };
  }

  /** The verdict, after reading what only this verdict turned out to need. */
  async #judge(run: StoredRun): Promise<{ readonly observed: ObservedRun; readonly verdict: RunVerdict }> {
    const { judge, now, deletions } = this.#parts;
    let observed = this.#observe(run);
    let verdict = judge(observed, now());
    if (failsForWantOfWord(run, verdict)) {
      // The result is final, and the cache may be behind: by a watch that hangs, or by a process that was frozen.
      const newer = newerPods(observed.pods, await this.#parts.readPods(run));
      if (newer.length > 0) {
        const uids = new Set(newer.map(({ metadata }) => metadata.uid));
        observed = {
          ...observed,
          pods: [...newer, ...observed.pods.filter(({ metadata }) => !uids.has(metadata.uid))],
        };
        verdict = judge(observed, now());
      }
    }
    const { wantsMountFailure } = verdict;
    if (wantsMountFailure !== undefined) {
      observed = { ...observed, mountFailure: await this.#mountFailure(wantsMountFailure) };
      verdict = judge(observed, now());
    }
    if (verdict.reap.kind === 'delete' && observed.formerDeletion === undefined) {
      const formerDeletion = await deletions.find(run);
      if (formerDeletion !== undefined) {
        observed = { ...observed, formerDeletion };
        verdict = judge(observed, now());
      }
    }
    return { observed, verdict };
  }

  #observe(run: StoredRun): ObservedRun {
    const { cache, deletions, options } = this.#parts;
    const { namespace = '', name } = run.metadata;
    const formerDeletion = deletions.known(run);
    return {
      run,
      ...cache.related({ namespace, name }),
      ...(formerDeletion === undefined ? {} : { formerDeletion }),
      options,
    };
  }

  async #mountFailure(pod: NonNullable<RunVerdict['wantsMountFailure']>): Promise<string> {
    const fields = { 'regarding.uid': pod.uid, reason: 'FailedMount' };
    try {
      const [last] = (await this.#parts.readEvents({ namespace: pod.namespace, fields })) ?? [];
      return last?.note ?? '';
    } catch {
      // The run fails all the same, with a message that says less.
      return '';
    }
  }

  async #write(key: string, run: StoredRun, status: RunStatus): Promise<StoredRun> {
    try {
      return await this.#statuses.apply(key, run, status);
    } catch (error) {
      const { reason, message } = status.conditions.find(({ type }) => type === RUN_CONDITION_TYPES.succeeded) ?? {};
      if (hasStatusCode(error, 422) && reason !== undefined) {
        this.#parts.record(run, unwritable(reason, message ?? ''));
      }
      throw error;
    }
  }

  #afterWrite(run: StoredRun, status: RunStatus): void {
    this.#parts.series.passed(run, status);
    if (status.phase !== run.status?.phase) this.#parts.onPhase(run, status);
  }

  /** Stops and reaps; false when what was judged has changed meanwhile, so that another pass has to judge again. */
  async #act(run: StoredRun, observed: ObservedRun, { stop, reap }: RunVerdict): Promise<boolean> {
    try {
      if (stop !== undefined) await this.#stop(run, observed, stop);
      if (reap.kind === 'delete') await this.#reap(run, reap.reason);
      return true;
    } catch (error) {
      if (hasStatusCode(error, 409) || hasStatusCode(error, 404)) return false;
      throw error;
    }
  }

  async #stop(run: StoredRun, observed: ObservedRun, { kind, uid, reason }: StopOrder): Promise<void> {
    const workload = kind === 'Job' ? observed.job : observed.sandbox;
    if (workload?.metadata.uid !== uid) return;
    try {
      await this.#parts.workloads.stop(kind, workload);
    } catch (error) {
      if (!hasStatusCode(error, 409) && !hasStatusCode(error, 404)) {
        const note = `${kind} ${workload.metadata.name} cannot be stopped: ${describeError(error)}`;
        this.#parts.record(run, { type: 'Warning', reason: 'StopFailed', action: 'Stop', note });
      }
      throw error;
    }
    this.#parts.series.stopped(reason);
  }

  async #reap(run: StoredRun, reason: 'TTL'): Promise<void> {
    await this.#parts.deletions.note(run, 'deleted with its workload after its TTL');
    await this.#parts.remove(run);
    this.#parts.series.deleted(reason);
  }

  #forget(key: string): void {
    const [namespace = '', name = ''] = key.split('/');
    this.#parts.series.remove({ namespace, name });
    this.#parts.cache.forgetPods(objectKey({ namespace, name }));
    this.#statuses.forget(key);
  }
}

/** Whether a run fails now, and not by what its agent has said: something was waited for and did not come. */
function failsForWantOfWord({ status: stored }: StoredRun, { status }: RunVerdict): boolean {
  const isNew = status.completionTime !== undefined && stored?.completionTime === undefined;
  return isNew && status.phase === 'Failed' && status.exitCode === undefined;
}

/** Those that are not known, or not as they are now. */
function newerPods(known: readonly Pod[], live: readonly Pod[]): readonly Pod[] {
  const versions = new Map(known.map(({ metadata }) => [metadata.uid, metadata.resourceVersion]));
  return live.filter(({ metadata }) => versions.get(metadata.uid) !== metadata.resourceVersion);
}
