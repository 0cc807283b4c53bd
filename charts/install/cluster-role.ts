import { AGENT_PLURAL, GROUP, RUN_PLURAL } from '../../lib/api/identity.js';
import type { KubeManifest } from '../../lib/children/manifest.js';
import { clusterMetadata } from './metadata.js';
import { CONTROLLER } from './names.js';

/** One rule of a role. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

const WATCH = ['list', 'watch'];

/** API group of the Sandbox, of kubernetes-sigs/agent-sandbox. */
const SANDBOX_GROUP = 'agents.x-k8s.io';

/** Children are watched, and deleted together with their agent; never created and never changed. */
const WATCH_AND_DELETE = [...WATCH, 'delete'];

/** What the controller does in the namespaces of agents and runs. */
export const NAMESPACED_RULES: readonly PolicyRule[] = [
  // Patch is for the finalizer, get for the read after a conflict.
  { apiGroups: [GROUP], resources: [AGENT_PLURAL], verbs: ['get', ...WATCH, 'patch'] },
  { apiGroups: [GROUP], resources: [`${AGENT_PLURAL}/status`], verbs: ['patch'] },
  // Runs that are over are deleted after their TTL, unless an engine declares them.
  { apiGroups: [GROUP], resources: [RUN_PLURAL], verbs: ['get', ...WATCH, 'patch', 'delete'] },
  { apiGroups: [GROUP], resources: [`${RUN_PLURAL}/status`], verbs: ['patch'] },
  // Patch is for stopping the workload of a run; an admission policy lets nothing else of it be changed.
  { apiGroups: ['batch'], resources: ['jobs'], verbs: [...WATCH, 'patch', 'delete'] },
  { apiGroups: [SANDBOX_GROUP], resources: ['sandboxes'], verbs: [...WATCH, 'patch', 'delete'] },
  { apiGroups: ['apps'], resources: ['deployments'], verbs: WATCH_AND_DELETE },
  { apiGroups: ['apps'], resources: ['replicasets'], verbs: WATCH },
  { apiGroups: [''], resources: ['pods'], verbs: WATCH },
  {
    apiGroups: [''],
    resources: ['services', 'persistentvolumeclaims', 'serviceaccounts'],
    verbs: WATCH_AND_DELETE,
  },
  // Listing would read every Secret of the cluster; one by name is read only if an agent refers to it.
  { apiGroups: [''], resources: ['secrets'], verbs: ['get'] },
  { apiGroups: ['networking.k8s.io'], resources: ['networkpolicies', 'ingresses'], verbs: WATCH_AND_DELETE },
  {
    apiGroups: ['rbac.authorization.k8s.io'],
    resources: ['roles', 'rolebindings'],
    verbs: WATCH_AND_DELETE,
  },
  // Why a pod could not mount its volumes, and which runs were deleted before a restart, is told by events alone.
  { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'list'] },
];

/** What it does for bindings in the whole cluster; spared where it is kept to some namespaces. */
const CLUSTER_BINDING_RULES: readonly PolicyRule[] = [
  { apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterrolebindings'], verbs: WATCH_AND_DELETE },
  // Whether the role that a binding names exists.
  { apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterroles'], verbs: WATCH },
];

/** What has no namespace, and is granted wherever the agents are. */
export const UNAVOIDABLE_CLUSTER_RULES: readonly PolicyRule[] = [
  // Whether objects go one by one or with their whole kind, in which case children, claims and workloads stay.
  {
    apiGroups: ['apiextensions.k8s.io'],
    resources: ['customresourcedefinitions'],
    resourceNames: [`${AGENT_PLURAL}.${GROUP}`, `${RUN_PLURAL}.${GROUP}`],
    verbs: ['get'],
  },
  // Whether there can be a Sandbox at all: nothing is asked about them before.
  {
    apiGroups: ['apiextensions.k8s.io'],
    resources: ['customresourcedefinitions'],
    resourceNames: [`sandboxes.${SANDBOX_GROUP}`],
    verbs: WATCH,
  },
  // Who reads the metrics, and whether that is allowed.
  { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
  { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
];

/**
 * Everything that the controller does outside its own namespace. It holds no right that an agent could be lent, and
 * none to bring a workload into being.
 */
export const CONTROLLER_RULES: readonly PolicyRule[] = [
  ...NAMESPACED_RULES,
  ...CLUSTER_BINDING_RULES,
  ...UNAVOIDABLE_CLUSTER_RULES,
];

/** {@link CONTROLLER_RULES} as an object. */
export function controllerClusterRole(): KubeManifest {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: clusterMetadata(CONTROLLER),
    rules: CONTROLLER_RULES,
  };
}
