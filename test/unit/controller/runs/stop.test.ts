import { describe, expect, it } from 'vitest';
import type { ObservedRun } from '../../../../controller/runs/observed-run.js';
import { judge } from '../../../support/judged-run.js';
import {
  ago,
  backoffExceeded,
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
  waits,
  wrote,
} from '../../../support/observed-run.js';

/** What is stopped, and when to look again. */
function stop(observed: ObservedRun, now = NOW): object {
  const { stop: order, recheckAfterMs } = judge(observed, now);
  return { ...(order && { kind: order.kind, uid: order.uid, reason: order.reason }), recheckAfterMs };
}

const NOTHING = { recheckAfterMs: undefined };
const JOB_STOP = { kind: 'Job', uid: 'job-uid' };

/** A run whose result was written so many seconds ago. */
const over = (observed: ObservedRun, reason = 'Succeeded', heldFor = 1): ObservedRun =>
  stored(observed, {
    ...RAN,
    phase: reason === 'Succeeded' ? 'Succeeded' : 'Failed',
    completionTime: ago(10),
    duration: 40,
    conditions: [wrote('Succeeded', reason === 'Succeeded' ? 'True' : 'False', reason, { heldFor })],
  });

describe('the workload of a run that is over', () => {
  const sidecar = runPod({ containers: [ended(0), runs(50, 'mesh-proxy')] });

  it.each([
    ['goes on while the run does', observedRun({ pods: [runPod()] }), NOTHING],
    [
      'is stopped at once when its pod is stuck',
      observedRun({ pods: [pendingPod(waits('InvalidImageName'))] }),
      { ...JOB_STOP, reason: 'StartFailed', recheckAfterMs: undefined },
    ],
    [
      'is stopped at once when it has no pod in time',
      observedRun({ spec: { startupDeadlineSeconds: 1 } }),
      { ...JOB_STOP, reason: 'StartFailed', recheckAfterMs: undefined },
    ],
    ['is left while its end is on its way', observedRun({ pods: [endedPod(ended(0))] }), { recheckAfterMs: 30_000 }],
    [
      'is stopped when its end does not come',
      over(observedRun({ pods: [endedPod(ended(0))] }), 'Succeeded', 30),
      { ...JOB_STOP, reason: 'Finished', recheckAfterMs: undefined },
    ],
    [
      'is left once it has ended',
      observedRun({ pods: [endedPod(ended(0))], job: job({ conditions: [holds('Complete', 'X')] }) }),
      NOTHING,
    ],
    [
      'is left once it has failed',
      observedRun({ pods: [endedPod(ended(1))], job: job({ conditions: [backoffExceeded()] }) }),
      NOTHING,
    ],
    ['gives a sidecar five seconds', observedRun({ pods: [sidecar] }), { recheckAfterMs: 5000 }],
    [
      'gives a sidecar what is left of them',
      over(observedRun({ pods: [sidecar] }), 'Succeeded', 3),
      { recheckAfterMs: 2000 },
    ],
    [
      'is stopped when a sidecar goes on',
      over(observedRun({ pods: [sidecar] }), 'Succeeded', 5),
      { ...JOB_STOP, reason: 'Finished', recheckAfterMs: undefined },
    ],
    [
      'gives the kubelet time to stop what it stops itself',
      observedRun({ pods: [runPod({ init: [runs(50, 'native-sidecar')], containers: [ended(0)] })] }),
      { recheckAfterMs: 30_000 },
    ],
    [
      'is left once it was told to stop',
      over(observedRun({ job: job({ suspend: true }), pods: [runPod()] }), 'ImagePullBackOff'),
      NOTHING,
    ],
    [
      'is stopped when something let it go on',
      over(
        observedRun({ job: job({ suspend: false }), pods: [pendingPod(waits('ImagePullBackOff'))] }),
        'ImagePullBackOff',
        999,
      ),
      { ...JOB_STOP, reason: 'StartFailed', recheckAfterMs: undefined },
    ],
    [
      'is stopped when it is another one',
      over(observedRun({ job: job({ uid: 'second' }) })),
      { kind: 'Job', uid: 'second', reason: 'Restarted', recheckAfterMs: undefined },
    ],
    [
      'is left when it is another one that has ended',
      over(observedRun({ job: job({ uid: 'second', conditions: [holds('Complete', 'X')] }) })),
      NOTHING,
    ],
    [
      'is left when it is another one that stands still',
      over(observedRun({ job: job({ uid: 'second', suspend: true }) })),
      NOTHING,
    ],
    [
      'is stopped when it comes after the deadline',
      stored(observedRun(), { phase: 'Failed', conditions: [wrote('Succeeded', 'False', 'StartupDeadlineExceeded')] }),
      { ...JOB_STOP, reason: 'Restarted', recheckAfterMs: undefined },
    ],
    [
      'is stopped at once as a Sandbox, which would make another pod',
      observedRun({
        spec: { workload: 'Sandbox' },
        sandbox: sandbox({ conditions: [holds('Finished', 'PodSucceeded')] }),
        pods: [endedPod(ended(0), { owner: 'sandbox-uid' })],
      }),
      { kind: 'Sandbox', uid: 'sandbox-uid', reason: 'Finished', recheckAfterMs: undefined },
    ],
    [
      'is left as a Sandbox that stands still',
      observedRun({
        spec: { workload: 'Sandbox' },
        sandbox: sandbox({ operatingMode: 'Suspended' }),
        pods: [endedPod(ended(0), { owner: 'sandbox-uid' })],
      }),
      NOTHING,
    ],
  ])('%s', (_what, observed, want) => {
    expect(stop(observed)).toEqual(want);
  });
});

describe('events', () => {
  const notes = (observed: ObservedRun): readonly string[] =>
    judge(observed).events.map(({ type, reason, note }) => `${type} ${reason} ${note}`);

  it.each([
    ['a run that waits', observedRun(), []],
    [
      'a run that starts',
      observedRun({ pods: [runPod()] }),
      ['Normal RunStarted Running: pod hermes-run-sum-1-x is Running'],
    ],
    ['a run that goes on', stored(observedRun({ pods: [runPod()] }), RAN), []],
    [
      'a run that ends well',
      observedRun({ pods: [endedPod(ended(0))] }),
      ['Normal RunSucceeded Succeeded: container "agent" ended with exit code 0'],
    ],
    [
      'a run that fails',
      observedRun({ pods: [pendingPod(waits('ErrImageNeverPull', 'not on the node'))] }),
      ['Warning RunFailed ErrImageNeverPull: container "agent" is stuck on ErrImageNeverPull: not on the node'],
    ],
    ['a run that is over', over(observedRun({ pods: [endedPod(ended(0))] })), []],
    [
      'a run that something started again',
      over(observedRun({ job: job({ uid: 'second' }) })),
      [
        'Warning RunRestarted another Job hermes-run-sum-1 appeared for a run that is over, and is stopped: a run is done once',
      ],
    ],
  ])('of %s', (_what, observed, want) => {
    expect(notes(observed)).toEqual(want);
  });
});
