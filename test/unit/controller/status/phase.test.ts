import { describe, expect, it } from 'vitest';
import { computeAgentStatus } from '../../../../controller/status/agent-status.js';
import type { ObservedAgent } from '../../../../controller/status/observed.js';
import {
  ago,
  answer,
  binding,
  deployment,
  former,
  HOUR,
  looping,
  MINUTE,
  NO_POD,
  NONE_READY,
  NOW,
  observedAgent,
  ONE_READY,
  pod,
  rollingSince,
  ROLLED_OUT,
  TOO_LATE,
  unreadyPod,
  waiting,
} from '../../../support/observed-agent.js';
import { verdict } from '../../../support/phase-verdict.js';

const SECRET = { envFrom: [{ secretRef: { name: 'tokens' } }] };
const GONE: ObservedAgent['secrets'] = new Map([['tokens', { state: 'missing' }]]);
const FOUND: ObservedAgent['secrets'] = new Map([['tokens', { state: 'found', keys: new Set<string>() }]]);
const ADMIN = { rbac: { clusterRoleBindings: [{ roleRef: { kind: 'ClusterRole', name: 'cluster-admin' } }] } };
const INVALID = [{ severity: 'error', rule: 'X', path: ['spec'], message: 'no', hint: 'yes' }] as const;
const BACK_OFF = unreadyPod({ containers: [waiting('ImagePullBackOff')] });
const DOWN = deployment({ counts: NONE_READY });
const CHAT = { dashboard: { enabled: true }, gateways: [{ type: 'discord' }] };

describe('the first row of the table that holds', () => {
  it.each<[string, Parameters<typeof observedAgent>[0], string]>([
    [
      'a spec that does not validate outranks suspend',
      { spec: { suspend: true }, problems: INVALID },
      'Degraded InvalidSpec Stalled',
    ],
    [
      'suspend outranks missing Secrets and rights that are not allowed',
      { spec: { ...SECRET, ...ADMIN, suspend: true }, secrets: GONE, isBare: true },
      'Suspended Suspended',
    ],
    [
      'missing Secrets outrank rights that are not allowed',
      { spec: { ...SECRET, ...ADMIN }, secrets: GONE },
      'Bootstrap SecretNotFound Reconciling',
    ],
    [
      'rights outrank the number of pods',
      { spec: ADMIN, deployment: deployment({ replicas: 2 }) },
      'Degraded ClusterRoleNotAllowed Stalled',
    ],
    [
      'the number of pods outranks a container that is stuck',
      { deployment: deployment({ replicas: 3, counts: NONE_READY }), pods: [BACK_OFF] },
      'Degraded UnexpectedReplicas 300s',
    ],
    [
      'a container that is stuck outranks a rollout that is late, which still stalls',
      { deployment: deployment({ counts: NONE_READY, conditions: [TOO_LATE] }), pods: [BACK_OFF] },
      'Degraded ImagePullBackOff Stalled:ProgressDeadlineExceeded',
    ],
    [
      'a rollout that is late',
      { deployment: deployment({ counts: NONE_READY, conditions: [TOO_LATE] }), pods: [unreadyPod()] },
      'Degraded ProgressDeadlineExceeded Stalled',
    ],
    [
      'a pod that the API server refuses',
      {
        deployment: deployment({
          counts: NO_POD,
          conditions: [rollingSince(1), { type: 'ReplicaFailure', status: 'True', message: 'quota' }],
        }),
        pods: [],
      },
      'Degraded ReplicaFailure',
    ],
    [
      'a gateway that is broken outranks a pod that is ready',
      { spec: CHAT, probe: answer({ discord: 'fatal' }) },
      'Degraded PlatformsNotConnected',
    ],
    ['a pod that is ready', {}, 'Ready AgentReady'],
    ['no Deployment', { isBare: true }, 'Provisioning DeploymentMissing Reconciling'],
    [
      'a rollout under way',
      { deployment: deployment({ counts: NONE_READY, conditions: [rollingSince(60)] }), pods: [unreadyPod()] },
      'Provisioning PodNotReady Reconciling 600s',
    ],
    [
      'a pod that was up and is not',
      { deployment: DOWN, pods: [unreadyPod({ phase: 'Running' })], phase: 'Ready' },
      'Degraded PodNotReady',
    ],
  ])('%s', (_, parts, want) => {
    expect(verdict(observedAgent(parts))).toBe(want);
  });

  it('never says Ready of the pod of the former generation', () => {
    const change = (parts: Parameters<typeof deployment>[0], rest: Parameters<typeof observedAgent>[0] = {}): string =>
      verdict(
        observedAgent({ generation: 2, phase: 'Ready', deployment: deployment({ generation: 2, ...parts }), ...rest }),
      );
    const stuck = { pods: [BACK_OFF] };
    expect([
      change({ observedGeneration: 1, counts: ONE_READY }),
      change({ counts: NO_POD, conditions: [] }, { pods: [] }),
      change({ counts: NONE_READY, conditions: [rollingSince(30)] }, stuck),
      change({ counts: NONE_READY, conditions: [TOO_LATE] }, stuck),
    ]).toEqual([
      'Provisioning RollingOut Reconciling',
      'Provisioning PodNotReady Reconciling 600s',
      'Degraded ImagePullBackOff 300s',
      'Degraded ImagePullBackOff Stalled:ProgressDeadlineExceeded',
    ]);
  });

  it.each([
    ['the pod is not counted as ready', { replicas: 1, updatedReplicas: 1, readyReplicas: 0 }],
    ['there are two', { replicas: 2, updatedReplicas: 1, readyReplicas: 1 }],
  ])('is not Ready while %s', (_, counts) => {
    expect(verdict(observedAgent({ deployment: deployment({ counts }), phase: 'Ready' }))).toBe('Degraded RollingOut');
  });
});

describe('a rollout that waits for the former pod to be gone', () => {
  // What the Deployment's controller writes of a Recreate rollout that follows a finished one.
  const waitingFor = (counts: typeof ONE_READY, pods: ObservedAgent['pods'], phase = 'Ready'): string =>
    verdict(
      observedAgent({ phase, deployment: deployment({ generation: 2, counts, conditions: [ROLLED_OUT] }), pods }),
    );

  it.each<[string, string, string]>([
    [
      'the former pod is still counted',
      waitingFor({ replicas: 1, updatedReplicas: 0, readyReplicas: 1 }, [pod()]),
      'Provisioning RollingOut Reconciling 600s',
    ],
    [
      'the former pod drains',
      waitingFor(NO_POD, [pod({ isTerminating: true })]),
      'Provisioning PodNotReady Reconciling 600s',
    ],
    [
      'it is gone, and was seen draining',
      waitingFor(NO_POD, [], 'Provisioning'),
      'Provisioning PodNotReady Reconciling 600s',
    ],
    [
      'a pod that was deleted by hand has its successor counted at once',
      waitingFor(NONE_READY, [unreadyPod({ name: 'next' }), pod({ isTerminating: true })]),
      'Degraded PodNotReady',
    ],
    [
      'a pod that ended is nothing to wait for',
      waitingFor(NO_POD, [unreadyPod({ phase: 'Failed' })]),
      'Degraded PodNotReady',
    ],
  ])('%s', (_, got, want) => {
    expect(got).toBe(want);
  });
});

describe('the window of a rollout', () => {
  const rolling = (since: number): Parameters<typeof observedAgent>[0] => ({
    deployment: deployment({ counts: NONE_READY, conditions: [rollingSince(since)] }),
    pods: [unreadyPod()],
    phase: 'Provisioning',
  });

  it.each<[string, Parameters<typeof observedAgent>[0], string]>([
    [
      'counts from the time that Reconciling began',
      { ...rolling(HOUR), conditions: [former('Reconciling', 'True', 'X', { heldFor: 100 })] },
      'Provisioning PodNotReady Reconciling 500s',
    ],
    [
      'counts from the rollout, however long the agent had waited for its Deployment',
      { ...rolling(100), conditions: [former('Reconciling', 'True', 'X', { heldFor: HOUR })] },
      'Provisioning PodNotReady Reconciling 500s',
    ],
    [
      'counts from the Secret that the pod had to wait for',
      {
        ...rolling(HOUR),
        spec: SECRET,
        secrets: FOUND,
        phase: 'Bootstrap',
        conditions: [
          former('Reconciling', 'True', 'X', { heldFor: HOUR }),
          former('SecretsResolved', 'False', 'SecretNotFound', { heldFor: HOUR }),
        ],
      },
      'Provisioning PodNotReady Reconciling 600s',
    ],
    [
      'is over when all of them are long ago',
      { ...rolling(HOUR), conditions: [former('Reconciling', 'True', 'X', { heldFor: HOUR })] },
      'Degraded PodNotReady',
    ],
    [
      'does not begin again by being over',
      { ...rolling(HOUR), phase: 'Degraded', conditions: [former('Ready', 'False', 'X')] },
      'Degraded PodNotReady',
    ],
    [
      'begins again with a new rollout of a degraded agent',
      { ...rolling(10), phase: 'Degraded', conditions: [former('Ready', 'False', 'X')] },
      'Provisioning PodNotReady Reconciling 590s',
    ],
    [
      'holds for an agent that comes out of suspension, which is no rollout to the Deployment',
      {
        deployment: DOWN,
        pods: [unreadyPod()],
        phase: 'Suspended',
        conditions: [former('Ready', 'True', 'Suspended')],
      },
      'Provisioning PodNotReady Reconciling 600s',
    ],
    [
      'holds for a new agent whose Deployment is done with its rollout',
      { deployment: DOWN, pods: [unreadyPod()], createdAgo: 60 },
      'Provisioning PodNotReady Reconciling 600s',
    ],
    [
      'does not hold for an old agent that is looked at for the first time',
      { deployment: DOWN, pods: [unreadyPod()], createdAgo: HOUR },
      'Degraded PodNotReady',
    ],
  ])('%s', (_, { conditions = [], ...parts } = {}, want) => {
    const resolved = former('SecretsResolved', 'True', 'SecretsFound');
    const all = conditions.some(({ type }) => type === resolved.type) ? conditions : [resolved, ...conditions];
    expect(verdict(observedAgent({ ...parts, conditions: all }))).toBe(want);
  });
});

describe('Stalled', () => {
  const inLoop = (held: number, podAge = HOUR): ObservedAgent =>
    observedAgent({
      deployment: DOWN,
      pods: [unreadyPod({ createdAgo: podAge, containers: [looping(5, { reason: 'Error', exitCode: 1 })] })],
      phase: 'Degraded',
      conditions: [former('PodReady', 'False', 'CrashLoopBackOff', { heldFor: held })],
    });

  it.each<[string, ObservedAgent, string]>([
    ['waits five minutes for a crash loop', inLoop(5 * MINUTE - 1), 'Degraded CrashLoopBackOff 1s'],
    ['comes after five minutes of a crash loop', inLoop(5 * MINUTE), 'Degraded CrashLoopBackOff Stalled'],
    ['gives a new pod its own five minutes', inLoop(HOUR, 60), 'Degraded CrashLoopBackOff 240s'],
    [
      'comes at once for an image that can never be pulled',
      observedAgent({ deployment: DOWN, pods: [unreadyPod({ containers: [waiting('ErrImageNeverPull')] })] }),
      'Degraded ErrImageNeverPull Stalled',
    ],
    [
      'does not judge a change by the pod from before it',
      observedAgent({
        deployment: deployment({ counts: NONE_READY, digest: `v1:${'0'.repeat(64)}` }),
        pods: [unreadyPod({ containers: [waiting('InvalidImageName')] })],
        phase: 'Degraded',
        conditions: [former('ManifestsCurrent', 'True', 'SpecDigestMatches')],
      }),
      'Degraded InvalidImageName 10s',
    ],
    [
      'waits two minutes for a binding that was changed',
      observedAgent({
        spec: { rbac: { roleBindings: [{ namespace: 'shared', roleRef: { kind: 'Role', name: 'r' } }] } },
        bindings: {
          state: 'read',
          items: [binding({ kind: 'Role', name: 'r' }, { namespace: 'shared', subjects: [] })],
        },
        phase: 'Degraded',
        conditions: [former('RBACSynced', 'False', 'BindingDrifted', { heldFor: 90 })],
      }),
      'Degraded BindingDrifted 30s',
    ],
  ])('%s', (_, observed, want) => {
    expect(verdict(observed)).toBe(want);
  });
});

describe('a loop or a pull that comes and goes', () => {
  const crashes = (state: 'waiting' | 'running' | 'ended'): ObservedAgent => {
    const exit = { reason: 'OOMKilled', exitCode: 137 };
    const states = {
      waiting: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 20s' } },
      running: { running: { startedAt: ago(3) } },
      ended: { terminated: exit },
    };
    const container = { ...looping(7, exit), state: states[state] };
    return observedAgent({
      deployment: deployment({ counts: NONE_READY, conditions: [ROLLED_OUT] }),
      pods: [unreadyPod({ phase: 'Running', containers: [container] })],
      phase: 'Degraded',
    });
  };

  it('reads the same in every state of a crash loop', () => {
    const [first, ...others] = (['waiting', 'running', 'ended'] as const).map((state) =>
      computeAgentStatus(crashes(state), NOW),
    );
    expect(first?.status.conditions.find(({ type }) => type === 'PodReady')?.message).toBe(
      'container "hermes" keeps crashing, 7 restarts, last exit: OOMKilled (exit code 137)',
    );
    expect(others).toEqual([first, first]);
  });

  it('is looked at again when it will be none any more, as nothing else may happen until then', () => {
    const stalled = (startedAt: string | undefined): string => {
      const exit = { reason: 'Error', exitCode: 1 };
      const container = { ...looping(7, exit), state: { running: startedAt === undefined ? {} : { startedAt } } };
      return verdict(
        observedAgent({
          deployment: DOWN,
          pods: [unreadyPod({ phase: 'Running', containers: [container] })],
          phase: 'Degraded',
          conditions: [former('PodReady', 'False', 'CrashLoopBackOff', { heldFor: HOUR })],
        }),
      );
    };
    expect(stalled(ago(9 * MINUTE))).toBe('Degraded CrashLoopBackOff Stalled 60s');
    expect(stalled(ago(10 * MINUTE))).toBe('Degraded PodNotReady');
    expect(stalled(undefined)).toBe('Degraded CrashLoopBackOff Stalled');
  });

  it('is no loop any more after ten minutes of running', () => {
    const container = {
      ...looping(7, { reason: 'Error', exitCode: 1 }),
      state: { running: { startedAt: ago(10 * MINUTE) } },
    };
    const observed = observedAgent({
      deployment: DOWN,
      pods: [unreadyPod({ phase: 'Running', containers: [container] })],
      phase: 'Ready',
    });
    expect(verdict(observed)).toBe('Degraded PodNotReady');
  });

  it('stays ImagePullBackOff while the kubelet tries the same pod again', () => {
    const message = 'container "hermes" is waiting on ImagePullBackOff: not found';
    const pulls = (podName: string): string =>
      verdict(
        observedAgent({
          deployment: DOWN,
          pods: [unreadyPod({ containers: [waiting('ErrImagePull', 'EOF')] })],
          phase: 'Degraded',
          podName,
          conditions: [former('PodReady', 'False', 'ImagePullBackOff', { heldFor: 60, message })],
        }),
      );
    expect(pulls('hermes-mina-1-x')).toBe('Degraded ImagePullBackOff 240s');
    expect(pulls('another')).toBe('Degraded ErrImagePull');
  });
});
