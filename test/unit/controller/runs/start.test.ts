import { describe, expect, it } from 'vitest';
import type { ObservedRun } from '../../../../controller/runs/observed-run.js';
import { condition, judge, play, said } from '../../../support/judged-run.js';
import {
  ago,
  creating,
  ended,
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
  unschedulablePod,
  waits,
} from '../../../support/observed-run.js';

const PULL = 'failed to pull image "registry.example.net/hermes:v9": not found';
const BACK_OFF = 'Back-off pulling image "registry.example.net/hermes:v9"';

const HOPELESS = ['InvalidImageName', 'ErrImageNeverPull'];
const HEALING = ['ImagePullBackOff', 'CreateContainerConfigError', 'CrashLoopBackOff'];

describe('a fatal reason', () => {
  const grace = { options: { fatalGraceSeconds: 120 } };

  it.each([...HOPELESS, ...HEALING])('fails the run at once, with its own word: %s', (reason) => {
    const observed = observedRun({ pods: [pendingPod(waits(reason, 'what was said'))] });
    const message = `container "agent" is stuck on ${reason}: what was said`;
    expect(said(observed)).toEqual({ phase: 'Failed', reason, message });
    expect(condition(observed, 'Stalled')).toEqual({ status: 'True', reason, message });
    expect(condition(observed, 'StartBlocked')).toBeUndefined();
    expect(judge(observed).stop).toEqual({
      kind: 'Job',
      namespace: 'lab',
      name: 'hermes-run-sum-1',
      uid: 'job-uid',
      reason: 'StartFailed',
    });
  });

  it.each(HOPELESS)('that no time heals knows no grace: %s', (reason) => {
    expect(said(observedRun({ ...grace, pods: [pendingPod(waits(reason))] })).phase).toBe('Failed');
  });

  it.each(HEALING)('waits for its grace: %s', (reason) => {
    const observed = observedRun({ ...grace, pods: [pendingPod(waits(reason, 'what was said'))] });
    const message = `container "agent" is waiting on ${reason}: what was said`;
    expect(said(observed)).toEqual({ phase: 'Pending', reason, message });
    expect(condition(observed, 'StartBlocked')).toEqual({ status: 'True', reason, message });
    expect(judge(observed).recheckAfterMs).toBe(120_000);
  });

  it('says how a container that loops ended last', () => {
    const lastState = { terminated: { exitCode: 3, reason: 'Error' } };
    const looping = { ...waits('CrashLoopBackOff', 'back-off 5m0s'), lastState };
    expect(said(observedRun({ pods: [runPod({ containers: [looping] })] }))).toEqual({
      phase: 'Failed',
      reason: 'CrashLoopBackOff',
      message: 'container "agent" is stuck on CrashLoopBackOff: last exit: Error (exit code 3)',
    });
  });

  it('of an init container comes first', () => {
    const pod = pendingPod(waits('InvalidImageName', 'b'), { init: [waits('ImagePullBackOff', 'a', 'prepare')] });
    expect(said(observedRun({ pods: [pod] })).message).toBe('container "prepare" is stuck on ImagePullBackOff: a');
  });

  it('comes before one that is not settled, wherever that is', () => {
    const pod = pendingPod(waits('ImagePullBackOff', 'b'), { init: [waits('ErrImagePull', 'a', 'prepare')] });
    expect(said(observedRun({ pods: [pod] })).message).toBe('container "agent" is stuck on ImagePullBackOff: b');
  });

  it.each(['Pending', 'Running', 'Unknown'])('is seen in a pod that is %s', (phase) => {
    const pods = [runPod({ phase, containers: [waits('ImagePullBackOff')] })];
    expect(said(observedRun({ pods })).phase).toBe('Failed');
    expect(said(stored(observedRun({ pods }), RAN)).reason).toBe('ImagePullBackOff');
  });

  it('of a pod on its way out is no longer one of the run', () => {
    const pods = [pendingPod(waits('ImagePullBackOff'), { deletedAgo: 1 })];
    expect(said(observedRun({ pods })).phase).toBe('Pending');
  });

  it('of a sidecar fails a run that runs, and not one whose agent is done', () => {
    const sidecar = waits('ImagePullBackOff', 'no such image', 'mesh-proxy');
    expect(said(stored(observedRun({ pods: [runPod({ containers: [runs(), sidecar] })] }), RAN))).toEqual({
      phase: 'Failed',
      reason: 'ImagePullBackOff',
      message: 'container "mesh-proxy" is stuck on ImagePullBackOff: no such image',
    });
    expect(said(observedRun({ pods: [runPod({ containers: [sidecar, ended(0)] })] })).phase).toBe('Succeeded');
  });

  it('carries the error that was seen first, not the back-off', () => {
    const first = observedRun({ pods: [pendingPod(waits('ErrImagePull', PULL))] });
    const then = observedRun({ pods: [pendingPod(waits('ImagePullBackOff', BACK_OFF))] });
    const stuck = 'container "agent" is stuck on ImagePullBackOff';
    expect(condition(first, 'StartBlocked')).toMatchObject({ status: 'Unknown', reason: 'ErrImagePull' });
    expect(said(stored(then, judge(first).status)).message).toBe(`${stuck}: ${PULL}`);
    expect(said(then).message).toBe(`${stuck}: ${BACK_OFF}`);
  });

  it('learns of a specific error also after the back-off, and keeps it', () => {
    const states = [
      waits('ImagePullBackOff', BACK_OFF),
      waits('ErrImagePull', PULL),
      waits('ImagePullBackOff', BACK_OFF),
    ];
    let observed = observedRun(grace);
    const messages = states.map((state) => {
      observed = { ...observed, pods: [pendingPod(state)] };
      const { status } = judge(observed);
      observed = stored(observed, status);
      return status.conditions[0]?.message;
    });
    expect(messages).toEqual([
      `container "agent" is waiting on ImagePullBackOff: ${BACK_OFF}`,
      `container "agent" is waiting on ErrImagePull: ${PULL}`,
      `container "agent" is waiting on ImagePullBackOff: ${PULL}`,
    ]);
  });
});

describe('the grace of a fatal reason', () => {
  const backOff = pendingPod(waits('ImagePullBackOff', BACK_OFF));
  const pull = pendingPod(waits('ErrImagePull', PULL));
  const options = { fatalGraceSeconds: 120 };

  it('counts from the first time that one was seen, whatever alternates with it', () => {
    const states = [
      [0, pull],
      [10, backOff],
      [50, pull],
      [51, backOff],
      [129, backOff],
      [130, backOff],
    ] as const;
    expect(play(states, options)).toEqual([
      '0: Pending ErrImagePull',
      '10: Pending ImagePullBackOff, again in 120 s',
      '50: Pending ErrImagePull',
      '51: Pending ImagePullBackOff, again in 79 s',
      '129: Pending ImagePullBackOff, again in 1 s',
      '130: Failed ImagePullBackOff',
    ]);
  });

  it('is over when the container starts', () => {
    const states = [
      [0, backOff],
      [60, runPod()],
      [300, runPod()],
    ] as const;
    expect(play(states, options)).toEqual([
      '0: Pending ImagePullBackOff, again in 120 s',
      '60: Running Running',
      '300: Running Running',
    ]);
  });

  it('begins anew for another container', () => {
    const init = pendingPod(waits('PodInitializing'), { init: [waits('ImagePullBackOff', BACK_OFF, 'prepare')] });
    const main = pendingPod(waits('ImagePullBackOff', BACK_OFF), { init: [ended(0, { name: 'prepare' })] });
    const states = [
      [0, init],
      [100, main],
      [130, main],
      [220, main],
    ] as const;
    expect(play(states, options)).toEqual([
      '0: Pending ImagePullBackOff, again in 120 s',
      '100: Pending ImagePullBackOff, again in 120 s',
      '130: Pending ImagePullBackOff, again in 90 s',
      '220: Failed ImagePullBackOff',
    ]);
  });

  it('does not begin anew while two containers take turns', () => {
    const both = (agent: string, other: string): ReturnType<typeof runPod> =>
      runPod({ phase: 'Pending', containers: [waits(agent, PULL), waits(other, PULL, 'proxy')] });
    const one = both('ImagePullBackOff', 'ErrImagePull');
    const other = both('ErrImagePull', 'ImagePullBackOff');
    const states = [
      [0, one],
      [40, other],
      [80, one],
      [119, other],
      [120, other],
    ] as const;
    expect(play(states, options).slice(-2)).toEqual([
      '119: Pending ImagePullBackOff, again in 1 s',
      '120: Failed ImagePullBackOff',
    ]);
  });

  it('is not forgotten between two crashes', () => {
    const crash = runPod({ containers: [{ ...waits('CrashLoopBackOff'), restartCount: 3 }] });
    const between = runPod({ containers: [{ ...runs(5), restartCount: 4 }] });
    const states = [
      [0, crash],
      [60, between],
      [119, crash],
      [120, crash],
    ] as const;
    expect(play(states, options)).toEqual([
      '0: Pending CrashLoopBackOff, again in 120 s',
      '60: Running Running',
      '119: Running CrashLoopBackOff, again in 1 s',
      '120: Failed CrashLoopBackOff',
    ]);
  });
});

describe('the startup deadline', () => {
  const spec = { startupDeadlineSeconds: 300 };
  /** So many seconds after the Job was started. */
  const at = (second: number): number => NOW + (second - 60) * 1000;

  it.each([
    ['without a pod', observedRun({ spec }), 'pod not created yet'],
    ['that no node takes', observedRun({ spec, pods: [unschedulablePod('no room')] }), 'unschedulable: no room'],
    [
      'that is being set up',
      observedRun({ spec, pods: [pendingPod(creating())], mountFailure: 'secret "x" not found' }),
      'container "agent" is waiting on ContainerCreating: secret "x" not found',
    ],
    [
      'whose pull goes on failing',
      observedRun({ spec, pods: [pendingPod(waits('ErrImagePull', PULL))] }),
      `container "agent" is waiting on ErrImagePull: ${PULL}`,
    ],
  ])('fails a run %s, and says what it waited for', (_what, observed, detail) => {
    expect(said(observed, at(299)).phase).toBe('Pending');
    expect(judge(observed, at(299)).recheckAfterMs).toBe(1000);
    const message = `did not start within 300 s: ${detail}`;
    expect(said(observed, at(300))).toEqual({ phase: 'Failed', reason: 'StartupDeadlineExceeded', message });
    expect(judge(observed, at(300)).stop?.reason).toBe('StartFailed');
  });

  it('counts from the start of the Job, else its creation, else the creation of the run', () => {
    const remaining = (observed: ObservedRun): number | undefined => judge(observed).recheckAfterMs;
    expect(remaining(observedRun({ spec, job: job({ createdAgo: 200, startedAgo: 100 }) }))).toBe(200_000);
    expect(remaining(observedRun({ spec, job: job({ createdAgo: 200, startedAgo: null }) }))).toBe(100_000);
    expect(remaining(observedRun({ spec, isBare: true }))).toBe(239_000);
    expect(remaining(observedRun({ spec: { ...spec, workload: 'Sandbox' }, sandbox: sandbox() }))).toBe(240_000);
  });

  it('is the one of the controller where the spec has none, and 0 is none', () => {
    const options = { startupDeadlineSeconds: 90 };
    expect(judge(observedRun({ options })).recheckAfterMs).toBe(30_000);
    expect(judge(observedRun({ options, spec: { startupDeadlineSeconds: 0 } }))).not.toHaveProperty('recheckAfterMs');
    expect(judge(observedRun())).not.toHaveProperty('recheckAfterMs');
    const longest = 2 ** 31 - 1;
    expect(judge(observedRun({ spec: { startupDeadlineSeconds: longest } })).recheckAfterMs).toBe(
      (longest - 60) * 1000,
    );
  });

  it('stands still while somebody else holds the workload back, and starts with it', () => {
    const late = at(10_000);
    const suspended = observedRun({ spec, job: job({ suspend: true }) });
    expect(said(suspended, late).reason).toBe('Suspended');
    expect(judge(suspended, late)).not.toHaveProperty('recheckAfterMs');
    // The field is gone, and the Job controller has not set the new start yet.
    const goesOn = observedRun({ spec, job: job({ conditions: [holds('Suspended', 'JobSuspended')] }) });
    expect(said(goesOn, late).reason).toBe('Suspended');
    const conditions = [{ type: 'Suspended', status: 'False', lastTransitionTime: ago(20) }];
    const resumed = observedRun({ spec: { ...spec, workload: 'Sandbox' }, sandbox: sandbox({ conditions }) });
    expect(judge(resumed).recheckAfterMs).toBe(280_000);
  });

  it('does not concern a run that has started, in whatever state it is', () => {
    const running = observedRun({ spec: { startupDeadlineSeconds: 1 }, pods: [runPod()] });
    expect(said(running).phase).toBe('Running');
    expect(judge(running)).not.toHaveProperty('recheckAfterMs');
    const pods = [pendingPod(creating(), { name: 'second' })];
    expect(said(stored({ ...running, pods, job: job({ backoffLimit: 3 }) }, RAN)).phase).toBe('Running');
  });

  it('does not concern a run whose Job has ended, while the word of its pod is waited for', () => {
    const complete = observedRun({
      spec: { startupDeadlineSeconds: 1 },
      job: job({ conditions: [holds('Complete', 'CompletionsReached', 2)] }),
    });
    expect(judge(complete).recheckAfterMs).toBe(3000);
    expect(said(complete).phase).toBe('Pending');
    expect(said(complete, NOW + 3000)).toMatchObject({ phase: 'Succeeded', reason: 'Succeeded' });
  });

  it('asks for the mount failure that only events tell, once', () => {
    const observed = observedRun({ spec: { startupDeadlineSeconds: 1 }, pods: [pendingPod(creating())] });
    const pod = { namespace: 'lab', name: 'hermes-run-sum-1-x', uid: 'hermes-run-sum-1-x-uid' };
    expect(judge(observed).wantsMountFailure).toEqual(pod);
    expect(judge({ ...observed, mountFailure: '' })).not.toHaveProperty('wantsMountFailure');
    const pulls = { ...observed, pods: [pendingPod(waits('ErrImagePull', PULL))] };
    expect(judge(pulls)).not.toHaveProperty('wantsMountFailure');
  });
});
