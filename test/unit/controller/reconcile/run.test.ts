import { describe, expect, it } from 'vitest';
import { ObjectStore } from '../../../../controller/cache/store.js';
import { KubeStatusError } from '../../../../controller/kube/errors.js';
import type { ObjectWriter } from '../../../../controller/kube/object-writer.js';
import { RunReconciler, type JudgeRun } from '../../../../controller/reconcile/run.js';
import type { StoredRun } from '../../../../controller/runs/objects.js';
import type { FormerDeletion, ObservedRun } from '../../../../controller/runs/observed-run.js';
import type { RunVerdict } from '../../../../controller/runs/run-verdict.js';
import { job, observedRun, RUN_OPTIONS, runPod, wrote } from '../../../support/observed-run.js';

const KEY = 'lab/sum-1';
const POD = { namespace: 'lab', name: 'p', uid: 'p-uid' };

const statusError = (statusCode: number): KubeStatusError =>
  new KubeStatusError({ statusCode, reason: 'R', message: 'no' });

const VERDICT: RunVerdict = {
  status: { observedGeneration: 1, phase: 'Failed', completionTime: '2026-03-01T12:00:00Z', conditions: [] },
  reap: { kind: 'keep' },
  events: [],
};

const VERDICT_RUNNING: RunVerdict['status'] = { observedGeneration: 1, phase: 'Running', conditions: [] };

const STOP = {
  kind: 'Job',
  namespace: 'lab',
  name: 'hermes-run-sum-1',
  uid: 'job-uid',
  reason: 'StartFailed',
} as const;

interface Behaviour {
  readonly judge?: JudgeRun;
  readonly run?: StoredRun;
  /** What each step meets, by name; nothing is a success. */
  readonly failures?: Readonly<Record<string, Error>>;
  readonly found?: FormerDeletion;
  readonly live?: StoredRun;
  /** Pods as the API server has them. */
  readonly pods?: ObservedRun['pods'];
}

function harness(behaviour: Behaviour = {}): { readonly reconciler: RunReconciler; readonly steps: string[] } {
  const steps: string[] = [];
  const failures = new Map(Object.entries(behaviour.failures ?? {}));
  const step = (name: string, detail = ''): Promise<undefined> => {
    steps.push(`${name}${detail === '' ? '' : ` ${detail}`}`);
    const failure = failures.get(name);
    failures.delete(name);
    return failure === undefined ? Promise.resolve(undefined) : Promise.reject(failure);
  };
  const runs = new ObjectStore<StoredRun>(
    () => [],
    () => undefined,
  );
  runs.upsert(behaviour.run ?? observedRun().run);
  const writer: ObjectWriter = {
    applyStatus: async ({ metadata }, status) => {
      await step('status', `${metadata.resourceVersion} ${(status as { phase: string }).phase}`);
      return { ...observedRun().run, metadata: { ...metadata, resourceVersion: '9' }, status };
    },
    read: () => Promise.resolve(behaviour.live),
    setFinalizer: () => Promise.reject(new Error('not asked for')),
  };
  const reconciler = new RunReconciler({
    cache: {
      runs,
      related: () => ({ job: job(), pods: [] }),
      forgetPods: () => undefined,
    },
    writer,
    workloads: {
      stop: (kind, { metadata }) => step('stop', `${kind} ${metadata.name}`),
      remove: () => Promise.reject(new Error('not asked for')),
    },
    remove: ({ metadata }) => step('delete', metadata.resourceVersion),
    deletions: {
      known: () => undefined,
      find: async () => {
        await step('find');
        return behaviour.found;
      },
      note: () => step('note'),
    },
    readEvents: async ({ fields }) => {
      await step('events', JSON.stringify(fields));
      return [{ note: 'no such volume' }, { note: 'earlier' }];
    },
    readPods: () => Promise.resolve(behaviour.pods ?? []),
    finalizer: {
      ensure: (run) => Promise.resolve(run),
      finalize: async () => {
        await step('finalize');
        return { kind: 'again', afterMs: 7 };
      },
    },
    series: {
      set: (_, { phase }) => void steps.push(`set ${phase}`),
      passed: (_, { phase }) => void steps.push(`passed ${phase}`),
      stopped: (reason) => void steps.push(`stopped ${reason}`),
      deleted: (reason) => void steps.push(`deleted ${reason}`),
      remove: ({ name }) => void steps.push(`remove ${name}`),
    },
    record: (_, { reason }) => void steps.push(`event ${reason}`),
    options: RUN_OPTIONS,
    judge: behaviour.judge ?? (() => VERDICT),
    now: () => 1000,
    onPhase: (_, { phase }) => void steps.push(`phase ${phase}`),
  });
  return { reconciler, steps };
}

/** A verdict that depends on what was read for it. */
function judged(verdict: (observed: ObservedRun) => Partial<RunVerdict>): JudgeRun {
  return (observed) => ({ ...VERDICT, ...verdict(observed) });
}

describe('RunReconciler', () => {
  it('stores the result before it stops the workload and deletes the run', async () => {
    const event = { type: 'Warning', reason: 'RunFailed', action: 'PhaseChanged', note: '' } as const;
    const { reconciler, steps } = harness({
      judge: judged(() => ({ stop: STOP, reap: { kind: 'delete', reason: 'TTL' }, events: [event] })),
    });
    expect(await reconciler.reconcile(KEY)).toEqual({ kind: 'settled', wrote: true });
    expect(steps).toEqual([
      'find',
      'set Failed',
      'status 1 Failed',
      'passed Failed',
      'phase Failed',
      'event RunFailed',
      'stop Job hermes-run-sum-1',
      'stopped StartFailed',
      'note',
      'delete 9',
      'deleted TTL',
    ]);
  });

  it('looks at the pods themselves before it fails a run that nothing was heard of', async () => {
    const running = (observed: ObservedRun): Partial<RunVerdict> =>
      observed.pods.length === 0 ? { stop: STOP } : { status: VERDICT_RUNNING };
    const behind = harness({ judge: judged(running), pods: [runPod()] });
    await behind.reconciler.reconcile(KEY);
    expect(behind.steps).toEqual(['set Running', 'status 1 Running', 'passed Running', 'phase Running']);

    const right = harness({ judge: judged(running), pods: [] });
    await right.reconciler.reconcile(KEY);
    expect(right.steps).toContain('stop Job hermes-run-sum-1');
  });

  it('writes and counts nothing when the status is stored already', async () => {
    const run = { ...observedRun().run, status: VERDICT.status } as StoredRun;
    const { reconciler, steps } = harness({ run, judge: judged(() => ({ recheckAfterMs: 5000 })) });
    expect(await reconciler.reconcile(KEY)).toEqual({ kind: 'settled', wrote: false, recheckAfterMs: 5000 });
    expect(steps).toEqual(['set Failed']);
  });

  it('stops nothing while the result cannot be stored', async () => {
    const { reconciler, steps } = harness({
      judge: judged(() => ({ stop: STOP })),
      failures: { status: statusError(503) },
    });
    expect(await reconciler.reconcile(KEY)).toMatchObject({ kind: 'failed' });
    expect(steps).toEqual(['set Failed', 'status 1 Failed']);
  });

  it('says what is wrong with a run whose spec keeps the status from being stored', async () => {
    const { reconciler, steps } = harness({
      judge: judged(() => ({
        status: { ...VERDICT.status, conditions: [wrote('Succeeded', 'Unknown', 'InvalidSpec')] },
      })),
      failures: { status: statusError(422) },
    });
    expect(await reconciler.reconcile(KEY)).toMatchObject({ kind: 'failed' });
    expect(steps).toEqual(['set Failed', 'status 1 Failed', 'event InvalidSpec']);
  });

  it('judges the live run anew after a conflict', async () => {
    const live = { ...observedRun().run, metadata: { ...observedRun().run.metadata, resourceVersion: '5' } };
    const { reconciler, steps } = harness({ failures: { status: statusError(409) }, live });
    expect(await reconciler.reconcile(KEY)).toEqual({ kind: 'settled', wrote: true });
    expect(steps.filter((line) => line.startsWith('status'))).toEqual(['status 1 Failed', 'status 5 Failed']);
    expect(steps.filter((line) => line.startsWith('passed'))).toHaveLength(1);
  });

  it.each([
    { what: 'stop', verdict: { stop: STOP } },
    { what: 'delete', verdict: { reap: { kind: 'delete', reason: 'TTL' } as const } },
  ])('looks again soon when it may not $what what has changed meanwhile', async ({ what, verdict }) => {
    const { reconciler, steps } = harness({
      judge: judged(() => ({ ...verdict, recheckAfterMs: 60_000 })),
      failures: { [what]: statusError(409) },
    });
    expect(await reconciler.reconcile(KEY)).toEqual({ kind: 'settled', wrote: true, recheckAfterMs: 250 });
    expect(steps.filter((line) => /^(stopped|deleted)/.test(line))).toEqual([]);
  });

  it('says why a workload cannot be stopped, and tries again', async () => {
    const { reconciler, steps } = harness({
      judge: judged(() => ({ stop: STOP })),
      failures: { stop: statusError(403) },
    });
    expect(await reconciler.reconcile(KEY)).toMatchObject({ kind: 'failed' });
    expect(steps.slice(-2)).toEqual(['stop Job hermes-run-sum-1', 'event StopFailed']);
  });

  it('leaves a workload alone that is not the one that was judged', async () => {
    const { reconciler, steps } = harness({ judge: judged(() => ({ stop: { ...STOP, uid: 'former' } })) });
    await reconciler.reconcile(KEY);
    expect(steps.some((line) => line.startsWith('stop'))).toBe(false);
  });

  it('reads why a pod has no volume only when it is asked, and judges again with it', async () => {
    const seen: (string | undefined)[] = [];
    const { reconciler, steps } = harness({
      judge: judged(({ mountFailure }) => {
        seen.push(mountFailure);
        return mountFailure === undefined ? { wantsMountFailure: POD } : {};
      }),
    });
    await reconciler.reconcile(KEY);
    expect(seen).toEqual([undefined, 'no such volume']);
    expect(steps[0]).toBe('events {"regarding.uid":"p-uid","reason":"FailedMount"}');
  });

  it('fails the run all the same when events cannot be read', async () => {
    const { reconciler, steps } = harness({
      judge: judged(({ mountFailure }) => (mountFailure === undefined ? { wantsMountFailure: POD } : {})),
      failures: { events: statusError(500) },
    });
    expect(await reconciler.reconcile(KEY)).toEqual({ kind: 'settled', wrote: true });
    expect(steps).toContain('status 1 Failed');
  });

  it('never deletes a run of which somebody before deleted a namesake', async () => {
    const { reconciler, steps } = harness({
      found: { at: 900, uid: 'former' },
      judge: judged(({ formerDeletion }) =>
        formerDeletion === undefined ? { reap: { kind: 'delete', reason: 'TTL' } } : {},
      ),
    });
    expect(await reconciler.reconcile(KEY)).toEqual({ kind: 'settled', wrote: true });
    expect(steps.filter((line) => /^(find|note|delete)/.test(line))).toEqual(['find']);
  });

  it.each(['find', 'note'])('does not delete while the memory of deletions cannot be kept: %s', async (what) => {
    const { reconciler, steps } = harness({
      judge: judged(() => ({ reap: { kind: 'delete', reason: 'TTL' } })),
      failures: { [what]: statusError(500) },
    });
    expect(await reconciler.reconcile(KEY)).toMatchObject({ kind: 'failed' });
    expect(steps.some((line) => line.startsWith('delete'))).toBe(false);
  });

  it('finalizes a run that is being deleted, its series gone before', async () => {
    const { metadata } = observedRun().run;
    const run = { ...observedRun().run, metadata: { ...metadata, deletionTimestamp: '2026-03-01T12:00:00Z' } };
    const { reconciler, steps } = harness({ run });
    expect(await reconciler.reconcile(KEY)).toEqual({ kind: 'again', afterMs: 7 });
    expect(steps).toEqual(['remove sum-1', 'finalize']);
  });

  it('scrubs a run that is gone', async () => {
    const { reconciler, steps } = harness();
    expect(await reconciler.reconcile('lab/other')).toEqual({ kind: 'gone' });
    expect(steps).toEqual(['remove other']);
  });
});
