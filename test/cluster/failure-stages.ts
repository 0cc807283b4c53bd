/** Annotations of a pod that tell KWOK which state to put it into. */
export const BED_ANNOTATIONS = {
  /** One of {@link PodState}; absent means ready, and for the pod of a Job complete. */
  state: 'bed.hermes-gitops.dev/state',
  /** Container that fails; the first one when absent. */
  container: 'bed.hermes-gitops.dev/container',
  /** Exit code for the states that have one. @default 1 */
  exitCode: 'bed.hermes-gitops.dev/exit-code',
  /** Restarts so far, for the loops. @default 5 */
  restarts: 'bed.hermes-gitops.dev/restarts',
  /** While present, a deleted pod keeps draining. */
  drain: 'bed.hermes-gitops.dev/drain',
} as const;

/** What {@link BED_ANNOTATIONS.state} may say, beside `ready` and `running` (a Job's pod that does not end). */
export type PodState = keyof typeof FAILURES | 'ready' | 'running' | 'not-ready' | 'exit' | 'evicted';

interface Failure {
  /** Waiting reason, as the kubelet writes it. */
  readonly waiting?: string;
  readonly message?: string;
  /** The last or the final termination. */
  readonly terminated?: { readonly reason: string; readonly exitCode: string };
  readonly restarts?: string;
  /** The failing container is an init container. */
  readonly isInit?: boolean;
}

const EXIT_CODE = `{{ or ( index $annotations "${BED_ANNOTATIONS.exitCode}" ) "1" }}`;
const RESTARTS = `{{ or ( index $annotations "${BED_ANNOTATIONS.restarts}" ) "5" }}`;

const backOff = 'back-off 5m0s restarting failed container';

/** Every failing state, in the words of the kubelet. */
const FAILURES = {
  'image-pull-back-off': { waiting: 'ImagePullBackOff', message: 'Back-off pulling image {{ .image }}: not found' },
  'err-image-pull': { waiting: 'ErrImagePull', message: 'failed to pull image {{ .image }}: not found' },
  'invalid-image-name': { waiting: 'InvalidImageName', message: 'Failed to apply default image tag {{ .image }}' },
  'image-never-pull': {
    waiting: 'ErrImageNeverPull',
    message: 'Container image {{ .image }} is not present with pull policy of Never',
  },
  'config-error': { waiting: 'CreateContainerConfigError', message: 'secret not found' },
  'container-creating': { waiting: 'ContainerCreating', message: '' },
  'crash-loop': {
    waiting: 'CrashLoopBackOff',
    message: backOff,
    terminated: { reason: 'Error', exitCode: EXIT_CODE },
    restarts: RESTARTS,
  },
  'oom-loop': {
    waiting: 'CrashLoopBackOff',
    message: backOff,
    terminated: { reason: 'OOMKilled', exitCode: '137' },
    restarts: RESTARTS,
  },
  'completed-loop': {
    waiting: 'CrashLoopBackOff',
    message: backOff,
    terminated: { reason: 'Completed', exitCode: '0' },
    restarts: RESTARTS,
  },
  'init-crash-loop': {
    waiting: 'CrashLoopBackOff',
    message: backOff,
    terminated: { reason: 'Error', exitCode: EXIT_CODE },
    restarts: RESTARTS,
    isInit: true,
  },
} as const satisfies Record<string, Failure>;

/** KWOK stages for every failing state, as the documents of one YAML file (JSON is YAML). */
export function failureStages(): string {
  const waiting = Object.entries(FAILURES).map(([state, failure]) =>
    stage(state, notYet(failure), waitingStatus(failure)),
  );
  return [
    ...waiting,
    stage('not-ready', READY_IS_NOT('False'), NOT_READY),
    stage('exit', IS_NOT_OVER, exitStatus(EXIT_CODE, 'Error')),
    stage('oom-killed', IS_NOT_OVER, exitStatus('137', 'OOMKilled')),
    stage('evicted', IS_NOT_OVER, EVICTED),
  ]
    .map((document) => `---\n${JSON.stringify(document)}\n`)
    .join('');
}

interface Expression {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values?: readonly string[];
}

const IS_NOT_OVER: Expression = { key: '.status.phase', operator: 'In', values: ['Pending', 'Running'] };

function READY_IS_NOT(status: string): Expression {
  return {
    key: '.status.conditions.[] | select( .type == "Ready" ) | .status',
    operator: 'NotIn',
    values: [status],
  };
}

/** Ends the stage: without it KWOK would write the same state for ever, each time with a new time. */
function notYet(failure: Failure): Expression {
  const statuses = failure.isInit === true ? 'initContainerStatuses' : 'containerStatuses';
  return { key: `.status.${statuses}.[].state.waiting.reason`, operator: 'NotIn', values: [failure.waiting ?? ''] };
}

function stage(state: string, condition: Expression, statusTemplate: string): object {
  return {
    apiVersion: 'kwok.x-k8s.io/v1alpha1',
    kind: 'Stage',
    metadata: { name: `pod-${state}` },
    spec: {
      resourceRef: { apiGroup: 'v1', kind: 'Pod' },
      selector: {
        matchExpressions: [
          { key: '.metadata.deletionTimestamp', operator: 'DoesNotExist' },
          { key: `.metadata.annotations["${BED_ANNOTATIONS.state}"]`, operator: 'In', values: [state] },
          condition,
        ],
      },
      next: { statusTemplate },
    },
  };
}

const HEAD = `{{ $now := Now }}
{{ $root := . }}
{{ $annotations := or .metadata.annotations dict }}
{{ $failing := or ( index $annotations "${BED_ANNOTATIONS.container}" ) "" }}
`;

const ADDRESS = `startTime: {{ or .status.startTime $now | Quote }}
podIP: {{ or .status.podIP ( PodIPWith .spec.nodeName ( or .spec.hostNetwork false ) ( or .metadata.uid "" ) ( or .metadata.name "" ) ( or .metadata.namespace "" ) ) | Quote }}
`;

function conditions(reason: string, ready: string): string {
  return `conditions:
- { type: Initialized, status: "${ready}", lastTransitionTime: {{ $now | Quote }} }
- { type: Ready, status: "False", reason: ${reason}, message: "containers with unready status: [{{ range $i, $c := .spec.containers }}{{ if eq $i 0 }}{{ or $failing $c.name }}{{ end }}{{ end }}]", lastTransitionTime: {{ $now | Quote }} }
- { type: ContainersReady, status: "False", reason: ${reason}, lastTransitionTime: {{ $now | Quote }} }
`;
}

/** Statuses of the main containers: \`failing\` for the one that fails, running for the others. */
function containerStatuses(
  failing: string,
  others = 'state: { waiting: null, terminated: null, running: { startedAt: {{ $now | Quote }} } }',
): string {
  return `containerStatuses:
{{ range $index, $item := .spec.containers }}{{ with $item }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  imageID: ""
{{ if or ( eq $failing .name ) ( and ( eq $failing "" ) ( eq $index 0 ) ) }}
  ready: false
  started: false
${failing}
{{ else }}
  ready: true
  started: true
  restartCount: 0
  ${others}
{{ end }}
{{ end }}{{ end }}
`;
}

function waitingStatus(failure: Failure): string {
  const { waiting = '', message = '', terminated, restarts = '0', isInit = false } = failure;
  const last =
    terminated === undefined
      ? 'null'
      : `{ terminated: { exitCode: ${terminated.exitCode}, reason: ${terminated.reason}, startedAt: {{ $now | Quote }}, finishedAt: {{ $now | Quote }} } }`;
  const failing = `  restartCount: ${restarts}
  lastState: ${last}
  state: { running: null, terminated: null, waiting: { reason: ${waiting}, message: "${message}" } }`;
  const phase = terminated !== undefined && !isInit ? 'Running' : 'Pending';
  const body = isInit
    ? containerStatuses(failing)
        .replace('containerStatuses', 'initContainerStatuses')
        .replace('.spec.containers', '.spec.initContainers')
    : containerStatuses(failing);
  return `${HEAD}phase: ${phase}\n${ADDRESS}${conditions('ContainersNotReady', isInit ? 'False' : 'True')}${body}`;
}

const NOT_READY = `${HEAD}phase: Running
${ADDRESS}${conditions('ContainersNotReady', 'True')}${containerStatuses(`  restartCount: 0
  state: { waiting: null, terminated: null, running: { startedAt: {{ $now | Quote }} } }`)}`;

function exitStatus(exitCode: string, reason: string): string {
  const phase = `{{ if eq "${exitCode === '137' ? '137' : ''}" "" }}{{ if eq ( or ( index $annotations "${BED_ANNOTATIONS.exitCode}" ) "1" ) "0" }}Succeeded{{ else }}Failed{{ end }}{{ else }}Failed{{ end }}`;
  return `${HEAD}phase: ${phase}
${ADDRESS}${conditions('PodFailed', 'True')}${containerStatuses(`  restartCount: 0
  state: { waiting: null, running: null, terminated: { exitCode: ${exitCode}, reason: ${reason}, startedAt: {{ or $root.status.startTime $now | Quote }}, finishedAt: {{ $now | Quote }} } }`)}`;
}

const EVICTED = `{{ $now := Now }}
phase: Failed
reason: Evicted
message: "The node was low on resource: ephemeral-storage."
startTime: {{ or .status.startTime $now | Quote }}
conditions:
- { type: Ready, status: "False", reason: PodFailed, lastTransitionTime: {{ $now | Quote }} }
- { type: ContainersReady, status: "False", reason: PodFailed, lastTransitionTime: {{ $now | Quote }} }
containerStatuses: null
`;
