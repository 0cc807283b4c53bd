import type { ObservedRun } from '../../../../controller/runs/observed-run.js';
import {
  DRAIN,
  TOO_LONG,
  backoffExceeded,
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
  stored,
  unschedulablePod,
  waits,
  wrote,
} from '../../../support/observed-run.js';

const GRACE = { fatalGraceSeconds: 120 };
const PULL = 'Back-off pulling image "registry.example.net/hermes:v9": not found';

const stuck = (reason: string, message: string): ObservedRun =>
  observedRun({ pods: [pendingPod(waits(reason, message))] });

/** One state of the cluster for each row of docs/run-outcomes.md. */
export const RUN_FIXTURES: Readonly<Record<string, ObservedRun>> = {
  'workload-missing': observedRun({ isBare: true }),
  'invalid-spec': observedRun({ isBare: true, spec: null }),
  'sandbox-not-served': observedRun({ isBare: true, spec: { workload: 'Sandbox' }, unwatched: ['Sandbox'] }),
  'workload-suspended': observedRun({ job: job({ suspend: true }) }),
  'no-pod-yet': observedRun(),
  unschedulable: observedRun({ pods: [unschedulablePod()] }),
  'setting-up': observedRun({ pods: [pendingPod(creating())] }),
  'first-pull-failed': stuck('ErrImagePull', 'registry.example.net/hermes:v9: not found'),
  'inside-grace': observedRun({ options: GRACE, pods: [pendingPod(waits('ImagePullBackOff', PULL))] }),
  running: observedRun({ pods: [runPod()] }),
  'node-lost': stored(
    observedRun({ pods: [runPod({ phase: 'Unknown', reason: 'NodeLost', message: 'Node n1 is unresponsive' })] }),
    RAN,
  ),
  draining: stored(observedRun({ pods: [runPod({ deletedAgo: 5 })] }), RAN),
  'image-pull-back-off': stuck('ImagePullBackOff', PULL),
  'invalid-image-name': stuck('InvalidImageName', 'couldn\'t parse image name "Hermes:V9": invalid reference format'),
  'image-never-pull': stuck(
    'ErrImageNeverPull',
    'Container image "hermes:local" is not present with pull policy of Never',
  ),
  'config-error': stuck('CreateContainerConfigError', 'secret "llm" not found'),
  'too-late-unscheduled': observedRun({ spec: { startupDeadlineSeconds: 30 }, pods: [unschedulablePod()] }),
  'too-late-mounting': observedRun({
    spec: { startupDeadlineSeconds: 30 },
    pods: [pendingPod(creating())],
    mountFailure: 'MountVolume.SetUp failed for volume "notes": configmap "notes" not found',
  }),
  'init-failed': observedRun({
    pods: [runPod({ phase: 'Failed', init: [ended(3, { name: 'prepare' })], containers: [waits('PodInitializing')] })],
  }),
  succeeded: observedRun({ pods: [endedPod(ended(0))] }),
  'succeeded-beside-sidecar': observedRun({ pods: [runPod({ containers: [ended(0), runs(50, 'mesh-proxy')] })] }),
  'agent-failed': observedRun({ pods: [endedPod(ended(1, { message: 'the model refused the key' }))] }),
  'limit-reached': observedRun({ pods: [endedPod(ended(2))] }),
  'deadline-exceeded': observedRun({ job: job({ conditions: [TOO_LONG] }) }),
  evicted: observedRun({
    pods: [
      runPod({
        phase: 'Failed',
        reason: 'Evicted',
        message: 'The node was low on resource: ephemeral-storage.',
        containers: null,
      }),
    ],
  }),
  'oom-killed': observedRun({ pods: [endedPod(ended(137, { reason: 'OOMKilled' }))] }),
  drained: observedRun({
    job: job({ conditions: [backoffExceeded()] }),
    pods: [endedPod(ended(143), { deletedAgo: 30, conditions: [DRAIN] })],
  }),
  'pod-gone': stored(observedRun({ job: job({ conditions: [backoffExceeded()] }) }), RAN),
  'workload-lost': stored(observedRun({ isBare: true }), RAN),
  tracked: stored(
    observedRun({
      spec: { ttlSecondsAfterFinished: 60 },
      metadata: { annotations: { 'argocd.argoproj.io/tracking-id': 'runs:hermes-gitops.dev/AgentRun:lab/sum-1' } },
      job: job({ conditions: [holds('Complete', 'CompletionsReached')] }),
    }),
    { ...RAN, phase: 'Succeeded', conditions: [wrote('Succeeded', 'True', 'Succeeded')] },
  ),
  'came-back': observedRun({ formerDeletion: { at: Date.parse('2026-03-01T11:58:00Z'), uid: 'former-uid' } }),
};
