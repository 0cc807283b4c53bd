import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../controller/kube/objects.js';
import type { ObservedRun } from '../../../../controller/runs/observed-run.js';
import { condition, judge, said, type Said } from '../../../support/judged-run.js';
import {
  ago,
  creating,
  ended,
  endedPod,
  holds,
  job,
  observedRun,
  pendingPod,
  RAN,
  runPod,
  runs,
  sandbox,
  stored,
  unschedulablePod,
  waits,
  wrote,
} from '../../../support/observed-run.js';

const UNSEEN =
  'the Sandbox hermes-run-sum-1 cannot be seen: this cluster does not serve the kind Sandbox, or it may not be watched';
const PULL = 'failed to pull image "registry.example.net/hermes:v9": not found';

const GATED = runPod({
  phase: 'Pending',
  containers: null,
  conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated', message: 'gated by a queue' }],
});

describe('a run that has not started', () => {
  const rows: readonly (readonly [string, ObservedRun, string, string])[] = [
    ['no workload', observedRun({ isBare: true }), 'WorkloadMissing', 'there is no Job hermes-run-sum-1'],
    [
      'a Sandbox that cannot be seen',
      observedRun({ isBare: true, spec: { workload: 'Sandbox' }, unwatched: ['Sandbox'] }),
      'WorkloadMissing',
      UNSEEN,
    ],
    ['a spec that is no map', observedRun({ isBare: true, spec: null }), 'InvalidSpec', 'spec is not a map'],
    ['no pod', observedRun(), 'PodPending', 'pod not created yet'],
    [
      'no node',
      observedRun({ pods: [unschedulablePod('0/3 nodes are available')] }),
      'Unschedulable',
      'unschedulable: 0/3 nodes are available',
    ],
    ['a pod in a queue', observedRun({ pods: [GATED] }), 'SchedulingGated', 'unschedulable: gated by a queue'],
    [
      'a container being set up',
      observedRun({ pods: [pendingPod(creating())] }),
      'ContainerCreating',
      'container "agent" is waiting on ContainerCreating',
    ],
    [
      'a pod without a word',
      observedRun({ pods: [runPod({ phase: 'Pending', containers: null })] }),
      'PodPending',
      'pod hermes-run-sum-1-x is Pending',
    ],
    [
      'an init container at work',
      observedRun({ pods: [pendingPod(waits('PodInitializing'), { init: [runs(5, 'prepare')] })] }),
      'PodInitializing',
      'container "agent" is waiting on PodInitializing',
    ],
    [
      'a first pull that failed',
      observedRun({ pods: [pendingPod(waits('ErrImagePull', PULL))] }),
      'ErrImagePull',
      `container "agent" is waiting on ErrImagePull: ${PULL}`,
    ],
    [
      'a container that could not be created at once',
      observedRun({ pods: [pendingPod(waits('CreateContainerError', 'context deadline exceeded'))] }),
      'CreateContainerError',
      'container "agent" is waiting on CreateContainerError: context deadline exceeded',
    ],
    [
      'a Job that somebody suspended',
      observedRun({ job: job({ suspend: true, startedAgo: null }) }),
      'Suspended',
      'the Job hermes-run-sum-1 is suspended (spec.suspend)',
    ],
    [
      'a Job that is about to go on',
      observedRun({ job: job({ suspend: false, conditions: [holds('Suspended', 'JobSuspended')] }) }),
      'Suspended',
      'the Job hermes-run-sum-1 is suspended (spec.suspend)',
    ],
    [
      'a Sandbox that somebody suspended',
      observedRun({ spec: { workload: 'Sandbox' }, sandbox: sandbox({ operatingMode: 'Suspended' }) }),
      'Suspended',
      'the Sandbox hermes-run-sum-1 is suspended (spec.operatingMode)',
    ],
    [
      'a pod on its way out',
      observedRun({ pods: [pendingPod(creating(), { deletedAgo: 2 })] }),
      'PodDeleted',
      'pod hermes-run-sum-1-x is being deleted',
    ],
  ];

  it.each(rows)('is Pending and says why: %s', (_what, observed, reason, message) => {
    expect(said(observed)).toEqual({ phase: 'Pending', reason, message });
    expect(condition(observed, 'Ready')).toEqual({ status: 'False', reason, message });
    expect(condition(observed, 'Reconciling')).toEqual({ status: 'True', reason, message });
    expect(condition(observed, 'Stalled')).toBeUndefined();
    expect(judge(observed)).not.toHaveProperty('stop');
    expect(judge(observed).status).not.toHaveProperty('startTime');
  });
});

describe('whose workload and pod it is', () => {
  const pods = [endedPod(ended(0))];
  const missing: Said = { phase: 'Pending', reason: 'WorkloadMissing', message: 'there is no Job hermes-run-sum-1' };
  const controlledBy = (uid: string): object => ({
    ownerReferences: [
      { apiVersion: 'hermes-gitops.dev/v1alpha1', kind: 'AgentRun', name: 'sum-1', uid, controller: true },
    ],
  });

  it.each([
    ['a pod of the Job', observedRun({ pods })],
    ['a Job that this run controls', observedRun({ job: job({ metadata: controlledBy('run-uid') }), pods })],
  ])('counts: %s', (_what, observed) => {
    expect(said(observed).phase).toBe('Succeeded');
  });

  it.each([
    ['a Job of another name', observedRun({ job: job({ metadata: { name: 'other' } }), pods }), missing],
    ['a Job of another namespace', observedRun({ job: job({ metadata: { namespace: 'b' } }), pods }), missing],
    ['a Job without the label', observedRun({ job: job({ metadata: { labels: {} } }), pods }), missing],
    ['a Job of a former run of this name', observedRun({ job: job({ metadata: controlledBy('old') }), pods }), missing],
    [
      'a Job where the spec asks for a Sandbox',
      observedRun({ spec: { workload: 'Sandbox' }, job: job(), pods }),
      { ...missing, message: 'there is no Sandbox hermes-run-sum-1' },
    ],
    [
      'a Job that no run controls, for a run of the command',
      observedRun({ metadata: { annotations: { 'hermes-gitops.dev/origin': 'cli' } }, pods }),
      missing,
    ],
    [
      'a pod without the mark of the Job controller',
      observedRun({ pods: pods.map((pod) => ({ ...pod, metadata: { ...pod.metadata, labels: {} } })) }),
      { phase: 'Pending', reason: 'PodPending', message: 'pod not created yet' },
    ],
    [
      'a pod with the label and another owner',
      observedRun({ pods: [endedPod(ended(0), { owner: 'other-uid' })] }),
      { phase: 'Pending', reason: 'PodPending', message: 'pod not created yet' },
    ],
  ])('does not count: %s', (_what, observed, want) => {
    expect(said(observed)).toEqual(want);
  });
});

describe('the pod of a run', () => {
  const forged = { name: 'forged', createdAgo: 1 };

  it.each([
    ['runs', runPod(forged)],
    ['has succeeded', endedPod(ended(0), forged)],
    ['has failed', endedPod(ended(1), forged)],
    ['cannot start', pendingPod(waits('InvalidImageName'), forged)],
  ])('stays the one that was seen, while it lives, beside another one that %s', (_what, other) => {
    for (const phase of ['Pending', 'Running']) {
      const observed = stored(observedRun({ pods: [runPod(), other] }), { ...RAN, phase });
      expect(said(observed).message).toBe('pod hermes-run-sum-1-x is Running');
      expect(judge(observed).status.podUID).toBe('hermes-run-sum-1-x-uid');
    }
    const gone = stored(observedRun({ pods: [runPod()], deletedPods: [other] }), RAN);
    expect(said(gone).phase).toBe('Running');
  });

  it('is named where its Job left it behind, and not where it goes with its Job', () => {
    const lost = (ownerReferences: Pod['metadata']['ownerReferences'] = []): string | undefined => {
      const pod = runPod();
      const left = { ...pod, metadata: { ...pod.metadata, ownerReferences } };
      return said(stored(observedRun({ isBare: true, pods: [left] }), RAN)).message;
    };
    const message = 'the Job hermes-run-sum-1 was deleted after the run had started';
    expect(lost()).toBe(`${message}; its pod hermes-run-sum-1-x was left behind and still runs`);
    expect(lost(runPod().metadata.ownerReferences)).toBe(message);
  });

  it('gives way to the next try of a Job once it is over', () => {
    const pods = [endedPod(ended(1)), runPod({ name: 'second', createdAgo: 5 })];
    const observed = stored(observedRun({ job: job({ backoffLimit: 2 }), pods }), RAN);
    expect(judge(observed).status.podUID).toBe('second-uid');
  });
});

describe('a run that runs', () => {
  it('has its pod, its start and no end', () => {
    expect(judge(observedRun({ pods: [runPod({ containers: [runs(45)] })] })).status).toEqual({
      observedGeneration: 1,
      phase: 'Running',
      workload: { kind: 'Job', name: 'hermes-run-sum-1', uid: 'job-uid' },
      podName: 'hermes-run-sum-1-x',
      podUID: 'hermes-run-sum-1-x-uid',
      startTime: ago(45),
      conditions: [
        {
          type: 'Succeeded',
          status: 'Unknown',
          observedGeneration: 1,
          lastTransitionTime: ago(0),
          reason: 'Running',
          message: 'pod hermes-run-sum-1-x is Running',
        },
        expect.objectContaining({ type: 'Ready', status: 'False' }),
        expect.objectContaining({ type: 'Reconciling', status: 'True' }),
      ],
    });
  });

  it('keeps the start that was stored', () => {
    const again = { ...runs(5), restartCount: 1 };
    expect(judge(stored(observedRun({ pods: [runPod({ containers: [again] })] }), RAN)).status.startTime).toBe(ago(50));
  });

  it.each([
    [
      'its node does not answer',
      observedRun({ pods: [runPod({ phase: 'Unknown', reason: 'NodeLost', message: 'no answer' })] }),
      'NodeLost',
      'pod hermes-run-sum-1-x is Unknown: no answer',
    ],
    [
      'its pod drains',
      observedRun({ pods: [runPod({ deletedAgo: 3 })] }),
      'PodDeleted',
      'pod hermes-run-sum-1-x is being deleted',
    ],
    ['its pod is gone, and the Job has not said so yet', observedRun(), 'PodPending', 'pod not created yet'],
    [
      'its Job was suspended',
      observedRun({ job: job({ suspend: true }) }),
      'Suspended',
      'the Job hermes-run-sum-1 is suspended (spec.suspend)',
    ],
    [
      'its Job tries again',
      observedRun({
        job: job({ backoffLimit: 3 }),
        pods: [endedPod(ended(1)), pendingPod(creating(), { name: 'second', createdAgo: 5 })],
      }),
      'ContainerCreating',
      'container "agent" is waiting on ContainerCreating',
    ],
    [
      'its Sandbox cannot be seen any more',
      observedRun({ isBare: true, spec: { workload: 'Sandbox' }, unwatched: ['Sandbox'] }),
      'WorkloadMissing',
      UNSEEN,
    ],
  ])('never goes back to Pending: %s', (_what, observed, reason, message) => {
    expect(said(stored(observed, RAN))).toEqual({ phase: 'Running', reason, message });
  });

  it('forgets the pod that a suspension took away, and no other', () => {
    const suspended = judge(stored(observedRun({ job: job({ suspend: true }) }), RAN)).status;
    expect(suspended).not.toHaveProperty('podUID');
    expect(judge(stored(observedRun(), RAN)).status.podUID).toBe('hermes-run-sum-1-x-uid');
  });
});

describe('lastTransitionTime', () => {
  it('moves when the status does', () => {
    const conditions = [wrote('Succeeded', 'Unknown', 'PodPending', { heldFor: 30 })];
    const before = { ...RAN, phase: 'Pending', conditions };
    const [same] = judge(stored(observedRun({ pods: [runPod()] }), before)).status.conditions;
    expect(same).toMatchObject({ reason: 'Running', lastTransitionTime: ago(30) });
    const [other] = judge(stored(observedRun({ pods: [endedPod(ended(0))] }), before)).status.conditions;
    expect(other).toMatchObject({ reason: 'Succeeded', lastTransitionTime: ago(0) });
  });
});
