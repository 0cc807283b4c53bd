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

/** An image that no registry has. A pod of it needs no annotation: a pull fails, and then the kubelet waits. */
export const IMAGE_NOT_THERE = 'registry.example.net/not-there:v1';

/** What {@link BED_ANNOTATIONS.state} may say, beside `ready` and `running` (a Job's pod that does not end). */
export type PodState = keyof typeof FAILURES | 'ready' | 'running' | 'not-ready' | 'exit' | 'oom-killed' | 'evicted';

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

const ANNOTATED_CODE = `( or ( index $annotations "${BED_ANNOTATIONS.exitCode}" ) "1" )`;
const EXIT_CODE = `{{ ${ANNOTATED_CODE} }}`;
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
  'init-image-pull-back-off': {
    waiting: 'ImagePullBackOff',
    message: 'Back-off pulling image {{ .image }}: not found',
    isInit: true,
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
    ...imageNotThere(),
    stage('not-ready', READY_IS_NOT('False'), NOT_READY),
    // From a waiting state Ready is False already: what tells that the pod has not moved is the waiting.
    stage('not-ready', IS_WAITING, NOT_READY, 'not-ready-after-waiting'),
    stage('exit', IS_NOT_OVER, exitStatus(ANNOTATED_CODE, 'Error')),
    stage('oom-killed', IS_NOT_OVER, exitStatus('"137"', 'OOMKilled')),
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

const WAITING = '.status.containerStatuses.[].state.waiting.reason';

const IS_WAITING: Expression = { key: WAITING, operator: 'Exists' };

const IS_NOT_OVER: Expression = { key: '.status.phase', operator: 'In', values: ['Pending', 'Running'] };

function READY_IS_NOT(status: string): Expression {
  return {
    key: '.status.conditions.[] | select( .type == "Ready" ) | .status',
    operator: 'NotIn',
    values: [status],
  };
}

/** Both steps of a pull that fails, chosen by the image. */
function imageNotThere(): readonly object[] {
  const steps: readonly { readonly state: keyof typeof FAILURES; readonly when: Expression; readonly delay: number }[] =
    [
      { state: 'err-image-pull', when: { key: WAITING, operator: 'DoesNotExist' }, delay: 0 },
      { state: 'image-pull-back-off', when: { key: WAITING, operator: 'In', values: ['ErrImagePull'] }, delay: 300 },
    ];
  return steps.map(({ state, when, delay }) => ({
    apiVersion: 'kwok.x-k8s.io/v1alpha1',
    kind: 'Stage',
    metadata: { name: `pod-${state}-by-image` },
    spec: {
      resourceRef: { apiGroup: 'v1', kind: 'Pod' },
      selector: {
        matchExpressions: [
          { key: '.metadata.deletionTimestamp', operator: 'DoesNotExist' },
          { key: '.spec.containers.[].image', operator: 'In', values: [IMAGE_NOT_THERE] },
          when,
        ],
      },
      delay: { durationMilliseconds: delay },
      next: { statusTemplate: waitingStatus(FAILURES[state]) },
    },
  }));
}

/** Ends the stage: without it KWOK would write the same state for ever, each time with a new time. */
function notYet(failure: Failure): Expression {
  const statuses = failure.isInit === true ? 'initContainerStatuses' : 'containerStatuses';
  return { key: `.status.${statuses}.[].state.waiting.reason`, operator: 'NotIn', values: [failure.waiting ?? ''] };
}

function stage(state: string, condition: Expression, statusTemplate: string, name = state): object {
  return {
    apiVersion: 'kwok.x-k8s.io/v1alpha1',
    kind: 'Stage',
    metadata: { name: `pod-${name}` },
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

interface StatusList {
  /** @default the main containers */
  readonly isInit?: boolean;
  /** State of the containers that do not fail. @default running */
  readonly others?: string;
  /** @default true */
  readonly areOthersReady?: boolean;
}

const RUNNING = 'state: { waiting: null, terminated: null, running: { startedAt: {{ $now | Quote }} } }';

function terminatedState(exitCode: string, reason: string): string {
  return `state: { waiting: null, running: null, terminated: { exitCode: ${exitCode}, reason: ${reason}, startedAt: {{ or $root.status.startTime $now | Quote }}, finishedAt: {{ $now | Quote }} } }`;
}

/** Restarts of the container so far: a kubelet never counts backwards. */
const RESTARTS_SO_FAR = '{{ $count }}';

/** The end before the present state, which outlives a recovery. */
const LAST_STATE =
  '{{ with $last }}lastState: { terminated: { exitCode: {{ .exitCode }}, reason: {{ .reason }}, startedAt: {{ .startedAt | Quote }}, finishedAt: {{ .finishedAt | Quote }} } }{{ end }}';

/** Statuses of the containers: `failing` for the one that fails, `others` for the rest. */
function containerStatuses(failing: string, list: StatusList = {}): string {
  const { isInit = false, others = RUNNING, areOthersReady = true } = list;
  const [statuses, containers] = isInit
    ? ['initContainerStatuses', 'initContainers']
    : ['containerStatuses', 'containers'];
  return `${statuses}:
{{ range $index, $item := .spec.${containers} }}{{ with $item }}
{{ $count := 0 }}{{ $last := false }}{{ range $root.status.${statuses} }}{{ if eq .name $item.name }}{{ $count = .restartCount }}{{ with .lastState }}{{ $last = .terminated }}{{ end }}{{ end }}{{ end }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  imageID: ""
{{ if or ( eq $failing .name ) ( and ( eq $failing "" ) ( eq $index 0 ) ) }}
  ready: false
  started: false
${failing}
{{ else }}
  ready: ${areOthersReady}
  started: ${areOthersReady}
  restartCount: ${RESTARTS_SO_FAR}
  ${LAST_STATE}
  ${others}
{{ end }}
{{ end }}{{ end }}
`;
}

function waitingStatus(failure: Failure): string {
  const { waiting = '', message = '', terminated, restarts = RESTARTS_SO_FAR, isInit = false } = failure;
  const last =
    terminated === undefined
      ? LAST_STATE
      : `lastState: { terminated: { exitCode: ${terminated.exitCode}, reason: ${terminated.reason}, startedAt: {{ $now | Quote }}, finishedAt: {{ $now | Quote }} } }`;
  const failing = `  restartCount: ${restarts}
  ${last}
  state: { running: null, terminated: null, waiting: { reason: ${waiting}, message: "${message}" } }`;
  const phase = terminated !== undefined && !isInit ? 'Running' : 'Pending';
  const initialized = isInit ? 'False' : 'True';
  return `${HEAD}phase: ${phase}\n${ADDRESS}${conditions('ContainersNotReady', initialized)}${containerStatuses(failing, { isInit })}`;
}

const NOT_READY = `${HEAD}phase: Running
${ADDRESS}${conditions('ContainersNotReady', 'True')}${containerStatuses(`  restartCount: ${RESTARTS_SO_FAR}
  ${LAST_STATE}
  ${RUNNING}`)}`;

/** Every container has ended, the failing one with that code (an expression of the template). */
function exitStatus(exitCode: string, failure: string): string {
  const failing = `  restartCount: ${RESTARTS_SO_FAR}
  ${LAST_STATE}
  ${terminatedState('{{ $code }}', '{{ $reason }}')}`;
  const statuses = containerStatuses(failing, { others: terminatedState('0', 'Completed'), areOthersReady: false });
  return `${HEAD}{{ $code := ${exitCode} }}{{ $phase := "Failed" }}{{ $reason := "${failure}" }}
{{ if eq $code "0" }}{{ $phase = "Succeeded" }}{{ $reason = "Completed" }}{{ end }}
phase: {{ $phase }}
${ADDRESS}${conditions('{{ if eq $code "0" }}PodCompleted{{ else }}PodFailed{{ end }}', 'True')}${statuses}`;
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
