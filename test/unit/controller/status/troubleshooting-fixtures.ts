import type { ContainerStatus, PodCondition } from '../../../../controller/kube/objects.js';
import type { ObservedAgent } from '../../../../controller/status/observed.js';
import {
  ago,
  answer,
  binding,
  child,
  deployment,
  former,
  HOUR,
  looping,
  MINUTE,
  NO_POD,
  NONE_READY,
  observedAgent,
  pod,
  rollingSince,
  RUNNING,
  TOO_LATE,
  unreadyPod,
  waiting,
  type AgentParts,
  type PodParts,
} from '../../../support/observed-agent.js';

const ROLLING = deployment({ counts: NONE_READY, conditions: [rollingSince(20)] });
const DOWN = deployment({ counts: NONE_READY });

/** A first rollout that goes on. */
const starting = (parts: PodParts, more: AgentParts = {}): ObservedAgent =>
  observedAgent({ deployment: ROLLING, pods: [unreadyPod({ createdAgo: 20, ...parts })], ...more });

/** An agent that was up. */
const fallen = (parts: PodParts, more: AgentParts = {}): ObservedAgent =>
  observedAgent({
    phase: 'Ready',
    deployment: DOWN,
    pods: [unreadyPod({ phase: 'Running', ...parts })],
    ...more,
  });

const scheduling = (message: string): PodParts => ({
  containers: null,
  scheduled: { status: 'False', reason: 'Unschedulable', message } satisfies Partial<PodCondition>,
});

const pulling = (reason: string): ContainerStatus =>
  waiting(reason, 'Back-off pulling image "registry.example.net/hermes:v1": not found');

const secretSpec = {
  env: [
    { name: 'A', valueFrom: { secretKeyRef: { name: 'tokens', key: 'discord' } } },
    { name: 'B', valueFrom: { secretKeyRef: { name: 'tokens', key: 'slack' } } },
  ],
  envFrom: [{ secretRef: { name: 'extra' } }],
};
const tokens = (...keys: string[]): ObservedAgent['secrets'] =>
  new Map([
    ['tokens', { state: 'found', keys: new Set(keys) }],
    ['extra', { state: 'found', keys: new Set<string>() }],
  ]);
const NO_SECRETS: ObservedAgent['secrets'] = new Map([
  ['tokens', { state: 'missing' }],
  ['extra', { state: 'missing' }],
]);

const LOG_READER = { kind: 'ClusterRole', name: 'log-reader' } as const;
const boundSpec = { rbac: { clusterRoleBindings: [{ roleRef: LOG_READER }] } };
const bound = (parts: AgentParts = {}): ObservedAgent =>
  observedAgent({ spec: boundSpec, roles: new Map([['ClusterRole//log-reader', { state: 'found' }]]), ...parts });
const drifted: ObservedAgent['bindings'] = {
  state: 'read',
  items: [binding(LOG_READER, { subjects: [{ kind: 'User', name: 'eve' }] })],
};

const chat = {
  dashboard: { enabled: true },
  gateways: [{ type: 'discord' }, { type: 'telegram' }],
};
const chatting = (parts: AgentParts): ObservedAgent => observedAgent({ spec: chat, ...parts });

const JUST_UP = [former('PodReady', 'True', 'PodRunning', { heldFor: 30 })];

/** For each id of the table in docs/troubleshooting.md, what the controller sees. */
export const FIXTURES: Readonly<Record<string, ObservedAgent>> = {
  // Nothing runs yet
  'no-deployment': observedAgent({ isBare: true }),
  'foreign-deployment': observedAgent({ deployment: deployment({ labels: {} }) }),
  'change-not-seen': observedAgent({ deployment: deployment({ generation: 2, observedGeneration: 1 }) }),
  'former-pod-up': observedAgent({
    deployment: deployment({ counts: { replicas: 1, updatedReplicas: 0, readyReplicas: 1 } }),
    phase: 'Ready',
  }),
  'no-pod-yet': observedAgent({ deployment: deployment({ counts: NO_POD, conditions: [rollingSince(2)] }), pods: [] }),
  'old-pod-draining': observedAgent({
    // The Deployment's conditions speak of the former rollout until this pod is gone.
    deployment: deployment({ counts: NO_POD }),
    pods: [pod({ isTerminating: true })],
    phase: 'Ready',
  }),
  'pod-refused': observedAgent({
    deployment: deployment({
      counts: NO_POD,
      conditions: [
        rollingSince(5),
        { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'exceeded quota: team-quota' },
      ],
    }),
    pods: [],
  }),
  unschedulable: starting(scheduling('0/3 nodes are available: 3 Insufficient memory.')),
  'claim-missing': starting(scheduling('persistentvolumeclaim "old-data" not found')),
  'claim-unbound': starting(scheduling('pod has unbound immediate PersistentVolumeClaims')),
  'volume-in-use': starting(
    scheduling('node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode'),
  ),
  'container-creating': starting({ containers: [waiting('ContainerCreating')] }),
  'starting-too-long': observedAgent({
    deployment: deployment({ counts: NONE_READY, conditions: [TOO_LATE] }),
    pods: [unreadyPod({ containers: [waiting('ContainerCreating')] })],
    phase: 'Provisioning',
  }),

  // The image
  'err-image-pull': starting({ containers: [waiting('ErrImagePull', 'registry.example.net/hermes:v1: not found')] }),
  'image-pull-back-off': starting({ containers: [pulling('ImagePullBackOff')] }),
  'image-pull-back-off-long': starting(
    { containers: [pulling('ImagePullBackOff')], createdAgo: HOUR },
    {
      phase: 'Degraded',
      conditions: [former('PodReady', 'False', 'ImagePullBackOff', { heldFor: 5 * MINUTE })],
    },
  ),
  'invalid-image-name': starting({
    containers: [waiting('InvalidImageName', 'couldn\'t parse image name "Hermes:V1": invalid reference format')],
  }),
  'image-never-pull': starting({
    containers: [
      waiting('ErrImageNeverPull', 'Container image "hermes:local" is not present with pull policy of Never'),
    ],
  }),

  // The container
  'config-error': starting({
    containers: [waiting('CreateContainerConfigError', 'configmap "settings" not found')],
  }),
  'run-error': starting({
    containers: [waiting('RunContainerError', 'exec: "hermes": executable file not found in $PATH')],
  }),
  'crash-loop': fallen({ containers: [looping(5, { reason: 'Error', exitCode: 1 })] }),
  'crash-loop-long': fallen(
    { containers: [looping(9, { reason: 'Error', exitCode: 1 })] },
    {
      phase: 'Degraded',
      conditions: [former('PodReady', 'False', 'CrashLoopBackOff', { heldFor: 5 * MINUTE })],
    },
  ),
  'oom-loop': fallen({ containers: [looping(7, { reason: 'OOMKilled', exitCode: 137 })] }),
  'completed-loop': fallen({ containers: [looping(7, { reason: 'Completed', exitCode: 0 })] }),
  'between-crashes': fallen({
    containers: [looping(7, { reason: 'Error', exitCode: 1 }, { state: { running: { startedAt: ago(5) } } })],
  }),
  'init-crash-loop': fallen({
    init: [looping(3, { reason: 'Error', exitCode: 2 }, { name: 'prepare' })],
    containers: [waiting('PodInitializing')],
  }),
  'dashboard-crash-loop': fallen({
    containers: [RUNNING, looping(9, { reason: 'Error', exitCode: 1 }, { name: 'dashboard' })],
  }),
  'still-starting': starting({ phase: 'Running', containers: [{ ...RUNNING, ready: false }] }),
  'not-ready': fallen({ containers: [{ ...RUNNING, ready: false }] }),
  'killed-once': fallen({
    containers: [
      {
        ...RUNNING,
        ready: false,
        restartCount: 1,
        lastState: { terminated: { reason: 'OOMKilled', exitCode: 137 } },
      },
    ],
  }),

  // The node
  evicted: fallen({
    phase: 'Failed',
    reason: 'Evicted',
    message: 'The node was low on resource: ephemeral-storage.',
    containers: null,
  }),
  'node-lost': fallen({ ready: { reason: 'NodeNotReady' } }),
  'pod-gone': observedAgent({ phase: 'Ready', deployment: deployment({ counts: NO_POD }), pods: [] }),

  // Somebody else's hand
  'scaled-to-zero': observedAgent({
    phase: 'Ready',
    deployment: deployment({ replicas: 0, counts: NO_POD }),
    pods: [],
  }),
  'scaled-up': observedAgent({
    deployment: deployment({ replicas: 2, counts: { replicas: 2, updatedReplicas: 2, readyReplicas: 1 } }),
  }),
  suspended: observedAgent({
    spec: { suspend: true },
    deployment: deployment({ replicas: 0, counts: NO_POD }),
    pods: [],
  }),
  'suspended-draining': observedAgent({
    spec: { suspend: true },
    deployment: deployment({ replicas: 0, counts: NO_POD }),
    pods: [pod({ isTerminating: true })],
  }),
  'suspended-still-scaled': observedAgent({ spec: { suspend: true } }),
  'invalid-spec': observedAgent({
    spec: null,
    problems: [{ severity: 'error', rule: 'Required', path: ['spec'], message: 'is required', hint: 'add spec' }],
  }),

  // Secrets
  'secret-missing': starting(
    { containers: [waiting('CreateContainerConfigError', 'secret "extra" not found')] },
    { spec: secretSpec, secrets: NO_SECRETS },
  ),
  'secret-key-missing': starting(
    { containers: [waiting('CreateContainerConfigError', "couldn't find key slack in Secret lab/tokens")] },
    { spec: secretSpec, secrets: tokens('discord') },
  ),
  'secret-gone-while-running': observedAgent({ spec: secretSpec, secrets: NO_SECRETS }),
  'secret-unreadable': observedAgent({
    spec: secretSpec,
    secrets: new Map([...tokens('discord', 'slack'), ['extra', { state: 'unreadable', message: 'forbidden (403)' }]]),
  }),

  // Rights
  'binding-applying': bound(),
  'binding-gone': bound({
    phase: 'Ready',
    conditions: [former('RBACSynced', 'True', 'BindingsInSync')],
  }),
  'binding-missing': bound({
    phase: 'Ready',
    conditions: [former('RBACSynced', 'Unknown', 'BindingMissing', { heldFor: 10 })],
  }),
  'binding-drifted': bound({ bindings: drifted }),
  'binding-drifted-long': bound({
    bindings: drifted,
    phase: 'Degraded',
    conditions: [former('RBACSynced', 'False', 'BindingDrifted', { heldFor: 2 * MINUTE })],
  }),
  'role-missing': bound({
    bindings: { state: 'read', items: [binding(LOG_READER)] },
    roles: new Map([['ClusterRole//log-reader', { state: 'missing' }]]),
  }),
  'cluster-role-not-allowed': observedAgent({
    spec: { rbac: { clusterRoleBindings: [{ roleRef: { kind: 'ClusterRole', name: 'cluster-admin' } }] } },
  }),
  'namespace-not-allowed': observedAgent({
    spec: { rbac: { roleBindings: [{ namespace: 'prod', roleRef: { kind: 'Role', name: 'deployer' } }] } },
  }),
  'bindings-unreadable': bound({
    bindings: { state: 'unreadable', message: 'bindings of the cluster are not watched' },
  }),

  // Git and the cluster
  syncing: observedAgent({ deployment: deployment({ digest: `v1:${'b'.repeat(64)}` }) }),
  'digest-mismatch': observedAgent({
    deployment: deployment({ digest: `v1:${'b'.repeat(64)}` }),
    phase: 'Ready',
    conditions: [former('ManifestsCurrent', 'Unknown', 'Syncing', { heldFor: 10 })],
  }),
  'not-rendered': observedAgent({ deployment: deployment({ digest: null }) }),
  'namespace-rewritten': observedAgent({
    deployment: deployment({
      labels: { 'hermes-gitops.dev/agent': 'mina', 'hermes-gitops.dev/agent-namespace': 'dev' },
    }),
  }),
  leftovers: observedAgent({
    children: [child('Service', 'hermes-mina'), child('Service', 'hermes-mina-dashboard')],
    phase: 'Ready',
    conditions: [former('ManifestsCurrent', 'Unknown', 'Pruning', { heldFor: 2 * MINUTE })],
  }),
  'not-comparable': observedAgent({ deployment: deployment({ digest: `v2:${'b'.repeat(64)}` }) }),

  // The dashboard and the gateways
  'not-probed': chatting({}),
  'probe-failed': chatting({ probe: { ...answer({ discord: 'connected', telegram: 'connected' }), failures: 3 } }),
  'platforms-connecting': chatting({
    probe: answer({ discord: 'connecting', telegram: 'connecting' }),
    phase: 'Provisioning',
    conditions: JUST_UP,
  }),
  'platform-retrying': chatting({ probe: answer({ discord: 'connected', telegram: 'retrying' }) }),
  'platform-fatal': chatting({
    probe: answer({ discord: 'connected', telegram: { state: 'fatal', message: 'bad token' } }),
  }),
  'platforms-lost': chatting({
    probe: answer({ discord: 'retrying', telegram: 'retrying' }),
    phase: 'Ready',
  }),
  'gateway-stopped': chatting({ probe: answer({}, { gatewayRunning: false, gatewayState: 'stopped' }) }),
  'gateway-startup-failed': chatting({
    probe: answer({}, { gatewayRunning: false, gatewayState: 'startup_failed', exitReason: 'no platform could start' }),
  }),
  'gateway-degraded': chatting({
    probe: answer({ discord: 'connected', telegram: 'connected' }, { gatewayState: 'degraded' }),
  }),
};
