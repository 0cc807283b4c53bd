import { describe, expect, it } from 'vitest';
import type { ObservedRun } from '../../../../controller/runs/observed-run.js';
import { judge, said } from '../../../support/judged-run.js';
import {
  DRAIN,
  TOO_LONG,
  ago,
  backoffExceeded,
  creating,
  ended,
  endedPod,
  holds,
  job,
  NOW,
  observedRun,
  pendingPod,
  RAN,
  runPod,
  runs,
  sandbox,
  stored,
} from '../../../support/observed-run.js';

const JOB_FAILED = job({ conditions: [backoffExceeded()] });
const IN_SANDBOX = { ...RAN, workload: { kind: 'Sandbox', name: 'hermes-run-sum-1', uid: 'sandbox-uid' } };
const inSandbox = (parts: Parameters<typeof observedRun>[0] = {}): ObservedRun =>
  observedRun({ spec: { workload: 'Sandbox' }, sandbox: sandbox(), ...parts });
const NODE_GONE = { ...DRAIN, reason: 'DeletionByPodGC', message: 'PodGC: node no longer exists' };
const ofSandbox = { owner: 'sandbox-uid', name: 'hermes-run-sum-1-x' };

interface End {
  readonly phase: 'Succeeded' | 'Failed';
  readonly reason: string;
  readonly message: string;
  readonly exitCode?: number;
}

const rows: readonly (readonly [string, ObservedRun, End])[] = [
  [
    'exit code 0',
    observedRun({ pods: [endedPod(ended(0))] }),
    { phase: 'Succeeded', reason: 'Succeeded', message: 'container "agent" ended with exit code 0', exitCode: 0 },
  ],
  [
    'exit code 1, and what the agent said',
    observedRun({ pods: [endedPod(ended(1, { message: 'no such model\n' }))] }),
    {
      phase: 'Failed',
      reason: 'Failed',
      message: 'container "agent" ended with exit code 1: no such model',
      exitCode: 1,
    },
  ],
  [
    'exit code 2',
    observedRun({ pods: [endedPod(ended(2))] }),
    { phase: 'Failed', reason: 'LimitReached', message: 'container "agent" ended with exit code 2', exitCode: 2 },
  ],
  [
    'killed for its memory',
    observedRun({ pods: [endedPod(ended(137, { reason: 'OOMKilled' }))] }),
    {
      phase: 'Failed',
      reason: 'OOMKilled',
      message: 'container "agent" ended with exit code 137 (OOMKilled)',
      exitCode: 137,
    },
  ],
  [
    'an init container killed for its memory',
    observedRun({
      pods: [
        runPod({
          phase: 'Failed',
          init: [ended(137, { name: 'prepare', reason: 'OOMKilled' })],
          containers: [creating()],
        }),
      ],
    }),
    { phase: 'Failed', reason: 'OOMKilled', message: 'init container "prepare" ended with exit code 137 (OOMKilled)' },
  ],
  [
    'an init container that failed',
    observedRun({
      pods: [
        runPod({
          phase: 'Failed',
          init: [ended(3, { name: 'prepare', message: 'no disk' })],
          containers: [creating()],
        }),
      ],
    }),
    { phase: 'Failed', reason: 'Failed', message: 'init container "prepare" ended with exit code 3: no disk' },
  ],
  [
    'evicted, with no word of its containers',
    observedRun({
      pods: [runPod({ phase: 'Failed', reason: 'Evicted', message: 'low on ephemeral-storage', containers: null })],
    }),
    { phase: 'Failed', reason: 'Evicted', message: 'pod hermes-run-sum-1-x has failed: low on ephemeral-storage' },
  ],
  [
    'evicted, with the kill that came of it',
    observedRun({ pods: [endedPod(ended(137), { reason: 'Evicted', message: 'low on memory' })] }),
    { phase: 'Failed', reason: 'Evicted', message: 'pod hermes-run-sum-1-x has failed: low on memory', exitCode: 137 },
  ],
  [
    'refused by its node',
    observedRun({ pods: [runPod({ phase: 'Failed', reason: 'OutOfcpu', message: 'no cpu left', containers: null })] }),
    { phase: 'Failed', reason: 'OutOfcpu', message: 'pod hermes-run-sum-1-x has failed: no cpu left' },
  ],
  [
    'past the deadline of its Job, whatever its pod says',
    observedRun({ job: job({ conditions: [TOO_LONG] }), pods: [endedPod(ended(143), { deletedAgo: 20 })] }),
    {
      phase: 'Failed',
      reason: 'DeadlineExceeded',
      message: 'Job was active longer than specified deadline',
      exitCode: 143,
    },
  ],
  [
    'past the deadline of its Job, whose pod still ends',
    observedRun({
      job: job({ conditions: [{ ...TOO_LONG, type: 'FailureTarget' }] }),
      pods: [runPod({ deletedAgo: 1 })],
    }),
    { phase: 'Failed', reason: 'DeadlineExceeded', message: 'Job was active longer than specified deadline' },
  ],
  [
    'past the deadline of its pod',
    inSandbox({ pods: [endedPod(ended(143), { ...ofSandbox, reason: 'DeadlineExceeded' })] }),
    {
      phase: 'Failed',
      reason: 'DeadlineExceeded',
      message: 'the run took longer than spec.activeDeadlineSeconds',
      exitCode: 143,
    },
  ],
  [
    'drained while it ran: the signal is no word of the agent',
    observedRun({ job: JOB_FAILED, pods: [endedPod(ended(143), { deletedAgo: 30, conditions: [DRAIN] })] }),
    {
      phase: 'Failed',
      reason: 'PodDeleted',
      message:
        'pod hermes-run-sum-1-x was deleted and container "agent" ended with exit code 143; EvictionByEvictionAPI: Eviction API: evicting',
      exitCode: 143,
    },
  ],
  [
    'drained, and the agent had a word of its own',
    observedRun({ job: JOB_FAILED, pods: [endedPod(ended(1), { deletedAgo: 30 })] }),
    { phase: 'Failed', reason: 'Failed', message: 'container "agent" ended with exit code 1', exitCode: 1 },
  ],
  [
    'killed by a signal that nobody sent from outside',
    observedRun({ pods: [endedPod(ended(137))] }),
    { phase: 'Failed', reason: 'Failed', message: 'container "agent" ended with exit code 137', exitCode: 137 },
  ],
  [
    'a pod that was seen to go while it ran',
    stored(observedRun({ job: JOB_FAILED, deletedPods: [runPod()] }), RAN),
    { phase: 'Failed', reason: 'PodDeleted', message: 'pod hermes-run-sum-1-x was deleted before its agent had ended' },
  ],
  [
    'a pod that ran, ended and went between two looks',
    observedRun({
      deletedPods: [endedPod(ended(0))],
      job: job({ conditions: [holds('Complete', 'CompletionsReached', 1)] }),
    }),
    { phase: 'Succeeded', reason: 'Succeeded', message: 'container "agent" ended with exit code 0', exitCode: 0 },
  ],
  [
    'a pod that its Job did not count, and made another',
    stored(observedRun({ pods: [runPod({ name: 'second', createdAgo: 3 })], deletedPods: [runPod()] }), RAN),
    { phase: 'Failed', reason: 'PodDeleted', message: 'pod hermes-run-sum-1-x was deleted before its agent had ended' },
  ],
  [
    'a pod that its Job did not count, and made another while nobody looked',
    stored(observedRun({ pods: [endedPod(ended(0), { name: 'second', createdAgo: 3 })] }), RAN),
    { phase: 'Failed', reason: 'PodDeleted', message: 'pod hermes-run-sum-1-x was deleted before its agent had ended' },
  ],
  [
    'a pod whose node is gone',
    stored(observedRun({ job: JOB_FAILED, pods: [runPod({ phase: 'Failed', conditions: [NODE_GONE] })] }), RAN),
    {
      phase: 'Failed',
      reason: 'PodDeleted',
      message:
        'pod hermes-run-sum-1-x was deleted before its agent had ended; DeletionByPodGC: PodGC: node no longer exists',
    },
  ],
  [
    'a pod whose init container had failed by itself before its node was gone',
    observedRun({
      pods: [
        runPod({
          phase: 'Failed',
          init: [ended(3, { name: 'prepare' })],
          containers: [creating()],
          conditions: [NODE_GONE],
        }),
      ],
    }),
    { phase: 'Failed', reason: 'Failed', message: 'init container "prepare" ended with exit code 3' },
  ],
  [
    'a pod that went while nobody looked',
    stored(observedRun({ job: JOB_FAILED }), RAN),
    {
      phase: 'Failed',
      reason: 'PodDeleted',
      message:
        'pod hermes-run-sum-1-x is gone, and its end was not seen; BackoffLimitExceeded: Job has reached the specified backoff limit',
    },
  ],
  [
    'a Job that failed for a reason of its own',
    observedRun({ job: job({ conditions: [holds('Failed', 'PodFailurePolicy', 10, 'exit code 42 failed the Job')] }) }),
    { phase: 'Failed', reason: 'PodFailurePolicy', message: 'exit code 42 failed the Job' },
  ],
  [
    'a Job that failed and never had a pod that was seen',
    observedRun({ job: JOB_FAILED }),
    { phase: 'Failed', reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' },
  ],
  [
    'a Job that is complete and whose pod is gone',
    observedRun({ job: job({ conditions: [holds('Complete', 'CompletionsReached', 10, 'Reached expected number')] }) }),
    { phase: 'Succeeded', reason: 'Succeeded', message: 'CompletionsReached: Reached expected number' },
  ],
  [
    'a Job without retries left',
    observedRun({
      job: job({ backoffLimit: 1, conditions: [backoffExceeded()] }),
      pods: [endedPod(ended(5), { name: 'b', createdAgo: 30 }), endedPod(ended(4), { name: 'a', createdAgo: 55 })],
    }),
    { phase: 'Failed', reason: 'Failed', message: 'container "agent" ended with exit code 5', exitCode: 5 },
  ],
  [
    'a retry that succeeded',
    observedRun({
      job: job({ backoffLimit: 1 }),
      pods: [endedPod(ended(0), { name: 'b', createdAgo: 30 }), endedPod(ended(4), { name: 'a', createdAgo: 55 })],
    }),
    { phase: 'Succeeded', reason: 'Succeeded', message: 'container "agent" ended with exit code 0', exitCode: 0 },
  ],
  [
    'done, beside a sidecar that runs on and comes first',
    observedRun({ pods: [runPod({ containers: [runs(50, 'mesh-proxy'), ended(0)] })] }),
    { phase: 'Succeeded', reason: 'Succeeded', message: 'container "agent" ended with exit code 0', exitCode: 0 },
  ],
  [
    'failed, beside a sidecar that runs on',
    observedRun({ pods: [runPod({ containers: [ended(2), runs(50, 'mesh-proxy')] })] }),
    { phase: 'Failed', reason: 'LimitReached', message: 'container "agent" ended with exit code 2', exitCode: 2 },
  ],
  [
    'done, in a pod that failed by its sidecar',
    observedRun({ pods: [runPod({ phase: 'Failed', containers: [ended(0), ended(1, { name: 'mesh-proxy' })] })] }),
    { phase: 'Succeeded', reason: 'Succeeded', message: 'container "agent" ended with exit code 0', exitCode: 0 },
  ],
  [
    'a pod without a container of the name agent',
    observedRun({ pods: [endedPod(ended(0, { name: 'main' }))] }),
    { phase: 'Succeeded', reason: 'Succeeded', message: 'pod hermes-run-sum-1-x has succeeded' },
  ],
  [
    'a workload that was deleted while the run ran',
    stored(observedRun({ isBare: true }), RAN),
    {
      phase: 'Failed',
      reason: 'WorkloadLost',
      message: 'the Job hermes-run-sum-1 was deleted after the run had started',
    },
  ],
  [
    'a workload that went while nobody had seen the run start',
    stored(observedRun({ isBare: true, pods: [runPod()] }), { ...RAN, phase: 'Pending' }),
    {
      phase: 'Failed',
      reason: 'WorkloadLost',
      message: 'the Job hermes-run-sum-1 was deleted after the run had started',
    },
  ],
  [
    'a workload that was replaced while the run ran',
    stored(observedRun({ job: job({ uid: 'another' }), pods: [runPod({ owner: 'another', name: 'y' })] }), RAN),
    {
      phase: 'Failed',
      reason: 'WorkloadLost',
      message: 'the Job hermes-run-sum-1 was replaced by another one after the run had started',
    },
  ],
  [
    'a workload that was deleted after its pod had ended',
    stored(observedRun({ isBare: true, pods: [endedPod(ended(0))] }), RAN),
    { phase: 'Succeeded', reason: 'Succeeded', message: 'container "agent" ended with exit code 0', exitCode: 0 },
  ],
  [
    'the end of a Sandbox',
    stored(inSandbox({ pods: [endedPod(ended(1), ofSandbox)] }), IN_SANDBOX),
    { phase: 'Failed', reason: 'Failed', message: 'container "agent" ended with exit code 1', exitCode: 1 },
  ],
  [
    'a Sandbox that says so alone',
    inSandbox({ sandbox: sandbox({ conditions: [holds('Finished', 'PodFailed', 10, 'Pod failed')] }) }),
    { phase: 'Failed', reason: 'PodFailed', message: 'Pod failed' },
  ],
  [
    'a Sandbox whose pod went',
    stored(inSandbox(), IN_SANDBOX),
    { phase: 'Failed', reason: 'PodDeleted', message: 'pod hermes-run-sum-1-x was deleted before its agent had ended' },
  ],
  [
    'a Sandbox that made another pod of the same name',
    stored(inSandbox({ pods: [endedPod(ended(0), { ...ofSandbox, uid: 'second' })] }), IN_SANDBOX),
    { phase: 'Failed', reason: 'PodDeleted', message: 'pod hermes-run-sum-1-x was deleted before its agent had ended' },
  ],
];

describe('the outcome of a run', () => {
  it.each(rows)('%s', (_what, observed, want) => {
    const { status } = judge(observed);
    const { exitCode, ...words } = want;
    expect(said(observed)).toEqual(words);
    expect(status.exitCode).toBe(exitCode);
    expect(status.conditions.find(({ type }) => type === 'Succeeded')?.status).toBe(
      want.phase === 'Succeeded' ? 'True' : 'False',
    );
    expect(status.conditions.map(({ type }) => type)).toEqual(
      want.phase === 'Succeeded' ? ['Succeeded', 'Ready'] : ['Succeeded', 'Ready', 'Stalled'],
    );
    // Each terminal state has its times.
    const { startTime = '', completionTime = '', duration } = status;
    expect(duration).toBe((Date.parse(completionTime) - Date.parse(startTime)) / 1000);
  });

  it.each(rows)('does not change by what is seen later: %s', (_what, observed) => {
    const { status } = judge(observed);
    const later = [
      observed,
      { ...observed, pods: [], deletedPods: [] },
      { ...observed, pods: [runPod()] },
      observedRun({ isBare: true, metadata: observed.run.metadata, spec: observed.run.spec }),
    ];
    for (const next of later) expect(judge(stored(next, status), NOW + 3_600_000).status).toEqual(status);
  });
});

describe('no outcome yet', () => {
  it.each([
    [
      'a pod that ended while it was being deleted, before its Job has said why',
      observedRun({ pods: [endedPod(ended(143), { deletedAgo: 3 })] }),
    ],
    ['a pod that is gone, before its Job has said so', observedRun({ deletedPods: [runPod()] })],
    [
      'a pod that a suspension took away',
      observedRun({ job: job({ suspend: true }), deletedPods: [endedPod(ended(143))] }),
    ],
    [
      'a pod that failed, with retries left',
      observedRun({ job: job({ backoffLimit: 2 }), pods: [endedPod(ended(1))] }),
    ],
    [
      'a pod of a Sandbox that went before the run had started',
      inSandbox({ deletedPods: [pendingPod(creating(), ofSandbox)] }),
    ],
    [
      'a Job that failed two seconds ago, of whose pod nothing is known',
      observedRun({ job: job({ conditions: [backoffExceeded(2)] }) }),
    ],
    [
      'a Job that failed two seconds ago, whose pod still runs by what is known',
      observedRun({ job: job({ conditions: [backoffExceeded(2)] }), pods: [runPod()] }),
    ],
  ])('%s', (_what, observed) => {
    expect(['Pending', 'Running']).toContain(said(observed).phase);
  });

  it('is waited for five seconds when a Job alone says that it failed', () => {
    const observed = observedRun({ job: job({ conditions: [backoffExceeded(2)] }) });
    expect(judge(observed).recheckAfterMs).toBe(3000);
    expect(said(observed, NOW + 2999).phase).toBe('Pending');
    expect(said(observed, NOW + 3000).phase).toBe('Failed');
    // A clock that is ahead does not make it longer.
    const ahead = observedRun({ job: job({ conditions: [backoffExceeded(-600)] }) });
    expect(judge(ahead).recheckAfterMs).toBe(5000);
  });

  it('of a Sandbox that somebody suspended and let go on', () => {
    const suspended = stored(inSandbox({ sandbox: sandbox({ operatingMode: 'Suspended' }) }), IN_SANDBOX);
    const { status } = judge(suspended);
    expect(status.phase).toBe('Running');
    const second = runPod({ ...ofSandbox, uid: 'second' });
    expect(said(stored(inSandbox({ pods: [second] }), status)).phase).toBe('Running');
  });
});

describe('the times of a run that is over', () => {
  const times = (observed: ObservedRun, now = NOW): object => {
    const { startTime, completionTime, duration } = judge(observed, now).status;
    return { startTime, completionTime, duration };
  };

  it.each([
    [
      'are those of the agent, also when it was never seen to run',
      observedRun({ pods: [endedPod(ended(0, { startedAgo: 31, endedAgo: 4 }))] }),
      { startTime: ago(31), completionTime: ago(4), duration: 27 },
    ],
    [
      'begin with the start that was stored',
      stored(observedRun({ pods: [endedPod(ended(0, { startedAgo: 31, endedAgo: 4 }))] }), RAN),
      { startTime: ago(50), completionTime: ago(4), duration: 46 },
    ],
    [
      'begin with the pod when the agent never ran',
      observedRun({ pods: [runPod({ phase: 'Failed', reason: 'Evicted', containers: null, createdAgo: 41 })] }),
      { startTime: ago(40), completionTime: ago(0), duration: 40 },
    ],
    [
      'begin with the workload when there was no pod',
      observedRun({ job: job({ createdAgo: 90, conditions: [backoffExceeded(12)] }) }),
      { startTime: ago(90), completionTime: ago(12), duration: 78 },
    ],
    [
      'begin with the run when there was no workload',
      observedRun({ isBare: true, spec: { startupDeadlineSeconds: 5 } }),
      { startTime: ago(61), completionTime: ago(0), duration: 61 },
    ],
    [
      'end when the pod was no longer ready, where no container tells',
      observedRun({
        pods: [
          runPod({
            phase: 'Failed',
            reason: 'Evicted',
            containers: null,
            conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: ago(25) }],
          }),
        ],
      }),
      { startTime: ago(57), completionTime: ago(25), duration: 32 },
    ],
    [
      'are not after now, whatever the pod says',
      observedRun({ pods: [endedPod(ended(0, { startedAgo: 50, endedAgo: -3600 }))] }),
      { startTime: ago(50), completionTime: ago(0), duration: 50 },
    ],
    [
      'are not before the workload, whatever the pod says',
      observedRun({ pods: [endedPod(ended(0, { startedAgo: 9000, endedAgo: 8000 }))] }),
      { startTime: ago(60), completionTime: ago(60), duration: 0 },
    ],
    [
      'are never the wrong way round',
      observedRun({ pods: [endedPod(ended(0, { startedAgo: 5, endedAgo: 9 }))] }),
      { startTime: ago(5), completionTime: ago(9), duration: 0 },
    ],
  ])('%s', (_what, observed, want) => {
    expect(times(observed)).toEqual(want);
  });

  it('are filled in where a stored result lacks them', () => {
    const conditions = [
      { type: 'Succeeded', status: 'True', reason: 'Succeeded', message: 'done', lastTransitionTime: ago(20) },
    ] as const;
    const result = { phase: 'Succeeded', conditions };
    expect(times(stored(observedRun({ job: job({ createdAgo: 80 }) }), result))).toEqual({
      startTime: ago(80),
      completionTime: ago(20),
      duration: 60,
    });
    expect(times(stored(observedRun({ isBare: true }), { phase: 'Failed' }))).toEqual({
      startTime: ago(0),
      completionTime: ago(0),
      duration: 0,
    });
  });
});
