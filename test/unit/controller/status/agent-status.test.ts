import { describe, expect, it } from 'vitest';
import { computeAgentStatus, type AgentStatusResult } from '../../../../controller/status/agent-status.js';
import type { ObservedAgent } from '../../../../controller/status/observed.js';
import { deepFreeze } from '../../../support/deep-freeze.js';
import {
  ago,
  answer,
  deployment,
  former,
  HOUR,
  NO_POD,
  NONE_READY,
  NOW,
  observedAgent,
  pod,
  replicaSet,
  rollingSince,
  unreadyPod,
  waiting,
} from '../../../support/observed-agent.js';

const compute = (observed: ObservedAgent): AgentStatusResult => computeAgentStatus(deepFreeze(observed), NOW);

const without = (observed: ObservedAgent, part: 'bindings' | 'specDigest'): ObservedAgent =>
  Object.fromEntries(Object.entries(observed).filter(([key]) => key !== part)) as unknown as ObservedAgent;

/** A condition that took its status now, or so many seconds ago. */
const condition = (
  type: string,
  status: string,
  reason: string,
  { message = '', since = 0, generation = 1 } = {},
): object => ({ type, status, observedGeneration: generation, lastTransitionTime: ago(since), reason, message });

const ALL_GOOD = [
  condition('SecretsResolved', 'True', 'SecretsFound'),
  condition('RBACSynced', 'True', 'BindingsInSync'),
  condition('ManifestsCurrent', 'True', 'SpecDigestMatches'),
];

interface Case {
  readonly name: string;
  readonly observed: ObservedAgent;
  readonly want: object;
}

const CASES: readonly Case[] = [
  {
    name: 'an agent that nobody has looked at, whose pod is ready',
    observed: observedAgent(),
    want: {
      status: {
        observedGeneration: 1,
        phase: 'Ready',
        serviceAccountName: 'hermes-mina',
        observedImage: 'registry.example.net/hermes:v1',
        podName: 'hermes-mina-1-x',
        restarts: 0,
        conditions: [
          condition('Ready', 'True', 'AgentReady'),
          condition('PodReady', 'True', 'PodRunning', { message: 'pod hermes-mina-1-x is ready' }),
          ...ALL_GOOD,
        ],
      },
    },
  },
  {
    name: 'a change of the image while nothing else has changed: times stay, generations follow',
    observed: observedAgent({
      generation: 2,
      phase: 'Ready',
      conditions: [
        former('Ready', 'True', 'AgentReady'),
        former('PodReady', 'True', 'PodRunning', { message: 'pod hermes-mina-1-x is ready' }),
        former('SecretsResolved', 'True', 'SecretsFound'),
        former('RBACSynced', 'True', 'BindingsInSync'),
        former('ManifestsCurrent', 'True', 'SpecDigestMatches'),
        former('example.org/Audited', 'True', 'Fine'),
      ],
    }),
    want: {
      status: {
        observedGeneration: 2,
        phase: 'Ready',
        serviceAccountName: 'hermes-mina',
        observedImage: 'registry.example.net/hermes:v1',
        podName: 'hermes-mina-1-x',
        restarts: 0,
        conditions: [
          condition('Ready', 'True', 'AgentReady', { since: HOUR, generation: 2 }),
          condition('PodReady', 'True', 'PodRunning', {
            message: 'pod hermes-mina-1-x is ready',
            since: HOUR,
            generation: 2,
          }),
          condition('SecretsResolved', 'True', 'SecretsFound', { since: HOUR, generation: 2 }),
          condition('RBACSynced', 'True', 'BindingsInSync', { since: HOUR, generation: 2 }),
          condition('ManifestsCurrent', 'True', 'SpecDigestMatches', { since: HOUR, generation: 2 }),
        ],
      },
    },
  },
  {
    name: 'a pod that cannot pull its image, with its own ServiceAccount and a default provider',
    observed: observedAgent({
      spec: { serviceAccountName: 'own', llmDefaultProvider: 'main' },
      deployment: deployment({ counts: NONE_READY, conditions: [rollingSince(30)] }),
      pods: [unreadyPod({ createdAgo: 30, containers: [waiting('ImagePullBackOff', 'not found')] })],
    }),
    want: {
      recheckAfterMs: 300_000,
      status: {
        observedGeneration: 1,
        phase: 'Degraded',
        serviceAccountName: 'own',
        observedImage: 'registry.example.net/hermes:v1',
        podName: 'hermes-mina-1-x',
        restarts: 0,
        llmProvider: { current: 'main' },
        conditions: [
          condition('Ready', 'False', 'ImagePullBackOff', {
            message: 'container "hermes" is waiting on ImagePullBackOff: not found',
          }),
          condition('PodReady', 'False', 'ImagePullBackOff', {
            message: 'container "hermes" is waiting on ImagePullBackOff: not found',
          }),
          ...ALL_GOOD,
        ],
      },
    },
  },
  {
    name: 'an agent without a Deployment, bindings not watched',
    observed: without(observedAgent({ isBare: true }), 'bindings'),
    want: {
      status: {
        observedGeneration: 1,
        phase: 'Provisioning',
        serviceAccountName: 'hermes-mina',
        conditions: [
          condition('Ready', 'False', 'DeploymentMissing', { message: 'there is no Deployment hermes-mina' }),
          condition('Reconciling', 'True', 'DeploymentMissing', { message: 'there is no Deployment hermes-mina' }),
          condition('PodReady', 'False', 'DeploymentMissing', { message: 'there is no Deployment hermes-mina' }),
          condition('SecretsResolved', 'True', 'SecretsFound'),
          condition('ManifestsCurrent', 'False', 'NotRendered', { message: 'there is no Deployment hermes-mina' }),
        ],
      },
    },
  },
  {
    name: 'a spec of null, stored past the schema',
    observed: without(
      observedAgent({
        spec: null,
        isBare: true,
        problems: [
          { severity: 'error', rule: 'Required', path: ['spec', 'storage'], message: 'is required', hint: 'add it' },
          { severity: 'error', rule: 'Required', path: ['spec', 'image'], message: 'is required', hint: 'add it' },
          { severity: 'warning', rule: 'Surprise', path: ['spec'], message: 'may surprise', hint: 'remove it' },
        ],
      }),
      'specDigest',
    ),
    want: {
      status: {
        observedGeneration: 1,
        phase: 'Degraded',
        serviceAccountName: 'hermes-mina',
        conditions: [
          condition('Ready', 'False', 'InvalidSpec', {
            message: 'spec.image: is required, spec.storage: is required',
          }),
          condition('Stalled', 'True', 'InvalidSpec', {
            message: 'spec.image: is required, spec.storage: is required',
          }),
          condition('PodReady', 'False', 'DeploymentMissing', { message: 'there is no Deployment hermes-mina' }),
          condition('SecretsResolved', 'True', 'SecretsFound'),
          condition('RBACSynced', 'True', 'BindingsInSync'),
        ],
      },
    },
  },
  {
    name: 'an agent that was Ready with a dashboard and is suspended: nothing of the gateways stays',
    observed: observedAgent({
      spec: { suspend: true, dashboard: { enabled: true }, gateways: [{ type: 'discord' }] },
      generation: 2,
      deployment: deployment({ replicas: 0, counts: NO_POD }),
      pods: [],
      probe: answer({ discord: 'connected' }),
      phase: 'Ready',
      conditions: [
        former('Ready', 'True', 'AgentReady'),
        former('PodReady', 'True', 'PodRunning'),
        former('GatewaysReady', 'True', 'AllPlatformsConnected'),
      ],
    }),
    want: {
      status: {
        observedGeneration: 2,
        phase: 'Suspended',
        serviceAccountName: 'hermes-mina',
        conditions: [
          condition('Ready', 'True', 'Suspended', {
            message: 'the agent is suspended',
            since: HOUR,
            generation: 2,
          }),
          condition('PodReady', 'False', 'Suspended', { message: 'the agent is suspended', generation: 2 }),
          condition('SecretsResolved', 'True', 'SecretsFound', { generation: 2 }),
          condition('RBACSynced', 'True', 'BindingsInSync', { generation: 2 }),
          condition('ManifestsCurrent', 'True', 'SpecDigestMatches', { generation: 2 }),
        ],
      },
    },
  },
  {
    name: 'an agent with a dashboard that has answered',
    observed: observedAgent({
      spec: { dashboard: { enabled: true }, gateways: [{ type: 'discord' }, { type: 'telegram' }] },
      probe: answer({ discord: 'connected', telegram: { state: 'retrying', message: 'slow\ndown' }, irc: 'connected' }),
    }),
    want: {
      status: {
        observedGeneration: 1,
        phase: 'Ready',
        serviceAccountName: 'hermes-mina',
        observedImage: 'registry.example.net/hermes:v1',
        podName: 'hermes-mina-1-x',
        restarts: 0,
        gateways: [
          { type: 'discord', ready: true, state: 'connected', lastProbedAt: ago(0) },
          { type: 'telegram', ready: false, state: 'retrying', message: 'slow down', lastProbedAt: ago(0) },
        ],
        gatewaySummary: '1/2',
        activeSessions: 2,
        conditions: [
          condition('Ready', 'True', 'AgentReady'),
          condition('PodReady', 'True', 'PodRunning', { message: 'pod hermes-mina-1-x is ready' }),
          condition('SecretsResolved', 'True', 'SecretsFound'),
          condition('RBACSynced', 'True', 'BindingsInSync'),
          condition('GatewaysReady', 'False', 'PlatformsNotConnected', {
            message: 'telegram=retrying; not declared: irc',
          }),
          condition('ManifestsCurrent', 'True', 'SpecDigestMatches'),
        ],
      },
    },
  },
];

describe('the status of an agent', () => {
  it.each(CASES)('is whole for $name', ({ observed, want }) => {
    expect(compute(observed)).toEqual(want);
  });

  it('takes image and restarts from the pod by name, whatever was injected beside', () => {
    const restarted = pod({
      init: [{ name: 'prepare', ready: true, restartCount: 1 }],
      containers: [
        { name: 'mesh', ready: true, restartCount: 2 },
        { name: 'hermes', ready: true, restartCount: 4 },
      ],
    });
    const injected = {
      ...restarted,
      spec: {
        containers: [
          { name: 'mesh', image: 'registry.example.net/mesh:v9' },
          { name: 'hermes', image: 'registry.example.net/hermes:v2' },
        ],
      },
    };
    const { status } = compute(observedAgent({ pods: [injected] }));
    expect([status.observedImage, status.restarts]).toEqual(['registry.example.net/hermes:v2', 7]);
  });

  it('counts no more restarts than the API server stores', () => {
    const containers = ['mesh', 'hermes'].map((name) => ({ name, ready: true, restartCount: 2_000_000_000 }));
    const { status } = compute(observedAgent({ pods: [pod({ containers })] }));
    expect(status.restarts).toBe(2_147_483_647);
  });

  it('cuts a long message to 1,024 characters of one line', () => {
    const { status } = compute(
      observedAgent({
        deployment: deployment({ counts: NONE_READY }),
        pods: [unreadyPod({ containers: [waiting('ImagePullBackOff', `a\u0000\n\tb${'x'.repeat(2000)}`)] })],
      }),
    );
    const message = status.conditions.find(({ type }) => type === 'PodReady')?.message ?? '';
    expect(message).toBe(`${'container "hermes" is waiting on ImagePullBackOff: a b'.padEnd(1023, 'x')}…`);
  });

  it.each([
    ['a word with a space', 'Image Pull!', 'ImagePull'],
    ['a number first', '3Times', 'Times'],
    ['nothing that is a letter', '---', 'Unknown'],
    ['a colon last', 'Plugin:', 'Plugin'],
  ])('makes a reason of %s that the API server takes', (_, said, want) => {
    const { status } = compute(
      observedAgent({
        deployment: deployment({ counts: NONE_READY }),
        pods: [unreadyPod({ containers: [waiting(said)] })],
      }),
    );
    expect(status.conditions.find(({ type }) => type === 'PodReady')?.reason).toBe(want);
  });

  it('names every missing Secret in one order, whatever order the spec has', () => {
    const env = (...names: string[]): object => ({
      env: names.map((name) => ({ name, valueFrom: { secretKeyRef: { name, key: 'k' } } })),
    });
    const secrets: ObservedAgent['secrets'] = new Map([
      ['b', { state: 'missing' }],
      ['a', { state: 'missing' }],
    ]);
    const messages = [env('b', 'a', 'b'), env('a', 'b')].map(
      (spec) => compute(observedAgent({ spec, secrets, isBare: true })).status.conditions[0]?.message,
    );
    expect(messages).toEqual(['missing: a[k], b[k]', 'missing: a[k], b[k]']);
  });

  it('never sets Reconciling beside Stalled: what waits for a Secret is not stalled by its image', () => {
    const { status } = compute(
      observedAgent({
        spec: { envFrom: [{ secretRef: { name: 'gone' } }] },
        secrets: new Map([['gone', { state: 'missing' }]]),
        deployment: deployment({ counts: NONE_READY }),
        pods: [unreadyPod({ containers: [waiting('InvalidImageName')] })],
      }),
    );
    expect(status.conditions.map(({ type, reason }) => `${type} ${reason}`)).toEqual([
      'Ready SecretNotFound',
      'Reconciling SecretNotFound',
      'PodReady InvalidImageName',
      'SecretsResolved SecretNotFound',
      'RBACSynced BindingsInSync',
      'ManifestsCurrent SpecDigestMatches',
    ]);
  });
});

describe('the pod of an agent', () => {
  const nameOf = (observed: ObservedAgent): string | undefined => compute(observed).status.podName;
  const unowned = pod({ name: 'forged', owner: 'somebody-else', createdAgo: 1 });

  it.each<[string, Partial<ObservedAgent>, string | undefined]>([
    [
      'is the one that its ReplicaSet owns, not one that only has the labels',
      { pods: [unowned, pod()] },
      'hermes-mina-1-x',
    ],
    ['is none when all that is there has only the labels', { pods: [unowned] }, undefined],
    ['is none when the ReplicaSet is another Deployment’s', { replicaSets: [replicaSet('1', 'other')] }, undefined],
    [
      'is of the current revision, however new one of another is',
      { replicaSets: [replicaSet(), replicaSet('2')], pods: [pod({ name: 'b', revision: '2', createdAgo: 1 }), pod()] },
      'hermes-mina-1-x',
    ],
    [
      'is the newest of several',
      { pods: [pod({ name: 'old', createdAgo: 90 }), pod({ name: 'new', createdAgo: 5 })] },
      'new',
    ],
    [
      'is not one that is on its way out',
      { pods: [pod({ name: 'going', createdAgo: 5, isTerminating: true }), pod({ name: 'stays' })] },
      'stays',
    ],
    [
      'is not an evicted one beside one that runs',
      {
        pods: [
          unreadyPod({ name: 'evicted', phase: 'Failed', reason: 'Evicted', createdAgo: 1 }),
          pod({ name: 'runs' }),
        ],
      },
      'runs',
    ],
    ['is the first by name of two that are equally new', { pods: [pod({ name: 'b' }), pod({ name: 'a' })] }, 'a'],
  ])('%s', (_, parts, want) => {
    expect(nameOf(observedAgent(parts))).toBe(want);
  });

  it('is ready beside an evicted one of the same ReplicaSet', () => {
    const evicted = unreadyPod({
      name: 'evicted',
      phase: 'Failed',
      reason: 'Evicted',
      containers: null,
      createdAgo: 1,
    });
    expect(compute(observedAgent({ pods: [evicted, pod()] })).status.phase).toBe('Ready');
  });
});
