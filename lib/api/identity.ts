/**
 * The names by which the renderer and the controller know each other's objects. Together with `lib/names.ts` and the
 * spec digest this is the whole contract between the two.
 */

/** API group of both kinds, and the prefix of every label, annotation and finalizer of this project. */
export const GROUP = 'hermes-gitops.dev';

/** API group of the operator that people migrate from. Its HermesAgents are read as ours. */
export const FORMER_GROUP = 'hermes.k8s.undermountain.cc';

/** The one served version. */
export const VERSION = 'v1alpha1';

/** `apiVersion` of both kinds. */
export const API_VERSION = `${GROUP}/${VERSION}`;

/** Kind of a long-lived agent. */
export const AGENT_KIND = 'HermesAgent';

/** Plural resource name of {@link AGENT_KIND}. */
export const AGENT_PLURAL = 'hermesagents';

/** Kind of one execution to completion. */
export const RUN_KIND = 'AgentRun';

/** Plural resource name of {@link RUN_KIND}. */
export const RUN_PLURAL = 'agentruns';

/** `apiVersion` of the Sandbox that a run may be executed as, of kubernetes-sigs/agent-sandbox. */
export const SANDBOX_API_VERSION = 'agents.x-k8s.io/v1beta1';

/** The finalizer that the controller adds and removes. Never rendered. */
export const FINALIZER = `${GROUP}/finalizer`;

/** Field manager of every server-side apply of the controller. */
export const FIELD_MANAGER = 'hermes-gitops-controller';

/** Name of the Lease that the leading controller holds, and of the leader in its metrics. */
export const LEASE_NAME = 'hermes-gitops-controller';

/** `app.kubernetes.io/managed-by` of every rendered child. */
export const MANAGED_BY = 'hermes-gitops';

/** Label of every object of the install set, key and value; none of an agent's children has it. */
export const INSTALL_PART_OF = ['app.kubernetes.io/part-of', 'hermes-gitops'] as const;

/** Label keys. Labels only select: ownership is proved by name, namespace and UID. */
export const LABELS = {
  /** `hermes-agent` on every child. */
  name: 'app.kubernetes.io/name',
  /** {@link MANAGED_BY} on every child. */
  managedBy: 'app.kubernetes.io/managed-by',
  /** Name of the agent that a child was rendered for. Used in selectors. */
  agent: `${GROUP}/agent`,
  /** Namespace of that agent; differs from the child's own for bindings elsewhere. */
  agentNamespace: `${GROUP}/agent-namespace`,
  /** Which part of the agent a pod is, `gateway` for the agent's own pod. Used in selectors. */
  component: `${GROUP}/component`,
  /** Name of the run that a workload was rendered for. */
  run: `${GROUP}/run`,
  /** Name of the agent that a run took its settings from. */
  runAgent: `${GROUP}/run-agent`,
} as const;

/** Annotation keys that this project writes. */
export const ANNOTATIONS = {
  /** Digest of the spec that a child was rendered from: `v1:` and a SHA-256 in hex. */
  specDigest: `${GROUP}/spec-digest`,
  /** Digest of the workload of a run as synth wrote it, without this annotation: `v1:` and a SHA-256 in hex. */
  workloadDigest: `${GROUP}/workload-digest`,
  /** Where a run came from; {@link ORIGIN_CLI} when `hermes-gitops run` created it. */
  origin: `${GROUP}/origin`,
} as const;

/** Value of the annotation {@link ANNOTATIONS.origin} on runs and workloads that `hermes-gitops run` created. */
export const ORIGIN_CLI = 'cli';

/** Name of the container of a run. Status goes by it, whatever else is injected into the pod. */
export const RUN_CONTAINER = 'agent';

/** Annotation and label keys of other projects that rendering sets or must never copy. */
export const FOREIGN = {
  argoSyncOptions: 'argocd.argoproj.io/sync-options',
  argoCompareOptions: 'argocd.argoproj.io/compare-options',
  argoIgnoreHealth: 'argocd.argoproj.io/ignore-healthcheck',
  fluxPrune: 'kustomize.toolkit.fluxcd.io/prune',
  fluxServerSideApply: 'kustomize.toolkit.fluxcd.io/ssa',
  fluxSubstitute: 'kustomize.toolkit.fluxcd.io/substitute',
  defaultContainer: 'kubectl.kubernetes.io/default-container',
} as const;

/** Key prefixes whose labels and annotations belong to an engine or to kubectl; never copied to a child. */
export const ENGINE_PREFIXES = [
  'argocd.argoproj.io/',
  'kustomize.toolkit.fluxcd.io/',
  'helm.toolkit.fluxcd.io/',
  'kubectl.kubernetes.io/',
] as const;
