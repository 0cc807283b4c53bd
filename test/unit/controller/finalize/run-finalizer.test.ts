import { describe, expect, it } from 'vitest';
import { StoppingFinalizer } from '../../../../controller/finalize/run-finalizer.js';
import { KubeConnectionError, KubeStatusError } from '../../../../controller/kube/errors.js';
import type { ObjectWriter } from '../../../../controller/kube/object-writer.js';
import type { ObservedRun } from '../../../../controller/runs/observed-run.js';
import { ago, holds, job, NOW, observedRun, RUN_OPTIONS, sandbox } from '../../../support/observed-run.js';

const MARK = { annotations: { 'argocd.argoproj.io/tracking-id': 'runs:x' } };
const LABELS = { 'hermes-gitops.dev/run': 'sum-1' };
const CLI = { annotations: { 'hermes-gitops.dev/origin': 'cli' } };
const CONTROLLED = {
  ownerReferences: [
    { apiVersion: 'hermes-gitops.dev/v1alpha1', kind: 'AgentRun', name: 'sum-1', uid: 'run-uid', controller: true },
  ],
};
const SANDBOX = { spec: { workload: 'Sandbox' } };

const statusError = (statusCode: number): KubeStatusError =>
  new KubeStatusError({ statusCode, reason: `R${statusCode}`, message: 'no' });

/** The run "sum-1", deleted so many seconds ago. */
function deleted(parts: Parameters<typeof observedRun>[0] = {}, deletedAgo = 1): ObservedRun {
  const metadata = {
    ...parts.metadata,
    finalizers: ['hermes-gitops.dev/finalizer'],
    deletionTimestamp: ago(deletedAgo),
  };
  return observedRun({ ...parts, metadata });
}

interface Setup {
  readonly failure?: Error;
  readonly isCrdGoing?: boolean;
  /** Answer to the removal of the finalizer. */
  readonly refusal?: Error;
}

function harness(observed: ObservedRun, { failure, isCrdGoing = false, refusal }: Setup = {}) {
  const steps: string[] = [];
  const act = (step: string): Promise<void> => {
    steps.push(step);
    return failure === undefined ? Promise.resolve() : Promise.reject(failure);
  };
  const writer: ObjectWriter = {
    applyStatus: () => Promise.reject(new Error('not asked for')),
    read: () => Promise.reject(new Error('not asked for')),
    setFinalizer: (_, isPresent) =>
      refusal !== undefined
        ? Promise.reject(refusal)
        : Promise.resolve(void steps.push(isPresent ? 'hold' : 'release')),
  };
  const { run, options, ...related } = observed;
  const finalizer = new StoppingFinalizer({
    api: { now: () => NOW },
    cache: { related: () => related },
    writer,
    workloads: {
      stop: (kind, { metadata }) => act(`stop ${kind} ${metadata.name}`),
      remove: (kind, { metadata }) => act(`remove ${kind} ${metadata.name}`),
    },
    record: (_, { reason, note }) => void steps.push(`${reason}: ${note}`),
    options: { ...RUN_OPTIONS, ...options },
    isCrdGoing: () => Promise.resolve(isCrdGoing),
  });
  return { finalize: () => finalizer.finalize(run), ensure: () => finalizer.ensure(run), steps };
}

describe('the finalizer of runs', () => {
  it.each<{ title: string; observed: ObservedRun; want: string[] }>([
    { title: 'a Job without a mark', observed: deleted(), want: ['remove Job hermes-run-sum-1'] },
    {
      title: 'a Sandbox without a mark',
      observed: deleted({ ...SANDBOX, sandbox: sandbox() }),
      want: ['remove Sandbox hermes-run-sum-1'],
    },
    {
      title: 'a Job that an engine marked',
      observed: deleted({ job: job({ metadata: MARK }) }),
      want: ['stop Job hermes-run-sum-1'],
    },
    {
      title: 'the Job of a run that an engine marked',
      observed: deleted({ metadata: MARK }),
      want: ['stop Job hermes-run-sum-1'],
    },
    {
      title: 'a Job with a mark of the flag',
      observed: deleted({
        job: job({ metadata: { labels: { ...LABELS, 'example.org/owner': 'me' } } }),
        options: { trackingMarks: ['example.org/owner'] },
      }),
      want: ['stop Job hermes-run-sum-1'],
    },
    {
      title: 'a marked Sandbox',
      observed: deleted({ ...SANDBOX, sandbox: sandbox({ metadata: MARK }) }),
      want: ['stop Sandbox hermes-run-sum-1'],
    },
    {
      title: 'a marked Job that is suspended',
      observed: deleted({ job: job({ metadata: MARK, suspend: true }) }),
      want: [],
    },
    {
      title: 'a marked Job that has ended',
      observed: deleted({ job: job({ metadata: MARK, conditions: [holds('Complete', 'Done')] }) }),
      want: [],
    },
    {
      title: 'a Job that is going',
      observed: deleted({ job: job({ metadata: { deletionTimestamp: ago(1) } }) }),
      want: [],
    },
    { title: 'a Job of the next run of the name', observed: deleted({ job: job({ createdAgo: 0 }) }), want: [] },
    { title: 'a Job that is not the run’s', observed: deleted({ job: job({ metadata: { labels: {} } }) }), want: [] },
    {
      title: 'the Job that the command made',
      observed: deleted({ metadata: CLI, job: job({ metadata: CONTROLLED }) }),
      want: ['remove Job hermes-run-sum-1'],
    },
    { title: 'a Job that was there before the command', observed: deleted({ metadata: CLI }), want: [] },
    { title: 'no workload', observed: deleted({ isBare: true }), want: [] },
  ])('does to $title: $want', async ({ observed, want }) => {
    const { finalize, steps } = harness(observed);
    expect(await finalize()).toEqual({ kind: 'released' });
    expect(steps).toEqual([...want, 'release']);
  });

  it.each<{ title: string; failure: Error; deletedAgo: number; want: string[]; afterMs?: number }>([
    { title: 'gone meanwhile', failure: statusError(404), deletedAgo: 1, want: ['release'] },
    { title: 'another one meanwhile', failure: statusError(409), deletedAgo: 1, want: [], afterMs: 250 },
    { title: 'forbidden', failure: statusError(403), deletedAgo: 299, want: [], afterMs: 5000 },
    { title: 'out of reach', failure: new KubeConnectionError('reset'), deletedAgo: 299, want: [], afterMs: 5000 },
    {
      title: 'forbidden for five minutes',
      failure: statusError(403),
      deletedAgo: 300,
      want: ['WorkloadKept: given up: remove Job hermes-run-sum-1: 403 R403: no', 'release'],
    },
  ])('bears a workload that is $title', async ({ failure, deletedAgo, want, afterMs }) => {
    const { finalize, steps } = harness(deleted({ job: job({ createdAgo: 400 }) }, deletedAgo), { failure });
    const released = { kind: 'released' };
    expect(await finalize()).toEqual(afterMs === undefined ? released : { kind: 'again', afterMs });
    expect(steps).toEqual(['remove Job hermes-run-sum-1', ...want]);
  });

  it('leaves workloads alone when the whole kind goes', async () => {
    const { finalize, steps } = harness(deleted(), { isCrdGoing: true });
    await finalize();
    expect(steps).toEqual([
      'WorkloadKept: the CustomResourceDefinition is being deleted: its workload is left alone',
      'release',
    ]);
  });

  it('says so when the API server does not let a malformed run go', async () => {
    const { finalize, steps } = harness(deleted({ isBare: true }), { refusal: statusError(422) });
    await expect(finalize()).rejects.toMatchObject({ statusCode: 422 });
    expect(steps).toEqual([
      'FinalizerNotRemoved: cannot be let go, because its spec was stored past the schema: 422 R422: no',
    ]);
  });

  it('does nothing for a run that it does not hold, and holds no run that is going', async () => {
    const { finalize, ensure, steps } = harness(observedRun({ metadata: { deletionTimestamp: ago(1) } }));
    expect(await finalize()).toEqual({ kind: 'released' });
    await ensure();
    expect(steps).toEqual([]);
  });

  it('holds every run that lives', async () => {
    const { ensure, steps } = harness(observedRun());
    await ensure();
    expect(steps).toEqual(['hold']);
  });
});
