/** Condition types of a HermesAgent. */
export const CONDITION_TYPES = {
  /** The object is as its spec asks; mirrors phase Ready, and True while suspended. */
  ready: 'Ready',
  /** On its way. Only present while True. */
  reconciling: 'Reconciling',
  /** Will not get better without a person. Only present while True, never beside Reconciling. */
  stalled: 'Stalled',
  /** The pod's own Ready condition. */
  podReady: 'PodReady',
  /** Every Secret and key that the spec refers to is there. */
  secretsResolved: 'SecretsResolved',
  /** Every binding of the spec is in the cluster. */
  rbacSynced: 'RBACSynced',
  /** Every declared gateway is connected. Only present while the dashboard is on. */
  gatewaysReady: 'GatewaysReady',
  /** What runs was rendered from the spec as it is. */
  manifestsCurrent: 'ManifestsCurrent',
} as const;

/** Reasons of conditions. Beside these PodReady, and whatever follows from it, takes the kubelet's own words. */
export const REASONS = {
  /** Ready: phase Ready. */
  ready: 'AgentReady',
  /** The spec asks for no pod, and there is none. */
  suspended: 'Suspended',
  /** The spec asks for no pod, and one is still there or still asked for. */
  scalingDown: 'ScalingDown',
  /** The stored spec is not one that the CRD accepts. */
  invalidSpec: 'InvalidSpec',
  /** The pod is ready. */
  podRunning: 'PodRunning',
  /** The pod is there, or about to be, and not ready. */
  podNotReady: 'PodNotReady',
  /** There is no Deployment of the agent. */
  deploymentMissing: 'DeploymentMissing',
  /** No node takes the pod. */
  unschedulable: 'Unschedulable',
  /** The Deployment asks for a number of pods other than 0 and 1. */
  unexpectedReplicas: 'UnexpectedReplicas',
  /** The rollout took longer than progressDeadlineSeconds. */
  progressDeadlineExceeded: 'ProgressDeadlineExceeded',
  /** The API server refuses the pod: a quota, a policy. */
  replicaFailure: 'ReplicaFailure',
  /** The rollout goes on. */
  rollingOut: 'RollingOut',
  /** Everything resolves. */
  secretsFound: 'SecretsFound',
  /** A Secret is not there. */
  secretNotFound: 'SecretNotFound',
  /** A Secret is there, a key of it is not. */
  secretKeyNotFound: 'SecretKeyNotFound',
  /** What has to be looked at cannot be read; not the same as missing. */
  readFailed: 'ReadFailed',
  /** Every binding is as the spec says. */
  bindingsInSync: 'BindingsInSync',
  /** A ClusterRole outside of the allowed list. */
  clusterRoleNotAllowed: 'ClusterRoleNotAllowed',
  /** A namespace outside of the allowed list. */
  namespaceNotAllowed: 'NamespaceNotAllowed',
  /** A binding is not there. */
  bindingMissing: 'BindingMissing',
  /** A binding is there with another roleRef or subject. */
  bindingDrifted: 'BindingDrifted',
  /** A binding is there and the role that it names is not. */
  roleMissing: 'RoleMissing',
  /** The spec changed a moment ago and the engine is still applying bindings. */
  applying: 'Applying',
  /** What runs was rendered from the spec as it is. */
  digestMatches: 'SpecDigestMatches',
  /** What runs was rendered from another spec. */
  digestMismatch: 'SpecDigestMismatch',
  /** Nothing that was rendered for the agent is there. */
  notRendered: 'NotRendered',
  /** An engine moved the rendered objects to another namespace. */
  namespaceRewritten: 'NamespaceRewritten',
  /** Objects of the agent that its spec does not render any more. */
  leftovers: 'Leftovers',
  /** The digest is of another version than the one that this controller computes. */
  notComparable: 'NotComparable',
  /** The spec changed a moment ago and the engine is still applying it. */
  syncing: 'Syncing',
  /** The spec changed a moment ago and the engine is still removing what it does not render any more. */
  pruning: 'Pruning',
  /** Every declared gateway is connected. */
  allPlatformsConnected: 'AllPlatformsConnected',
  /** The gateway process does not run. */
  gatewayNotRunning: 'GatewayNotRunning',
  /** The gateway says that it is degraded. */
  gatewayDegraded: 'Degraded',
  /** A declared gateway is not connected. */
  platformsNotConnected: 'PlatformsNotConnected',
  /** The dashboard did not answer three times in a row. */
  probeFailed: 'ProbeFailed',
  /** The dashboard has not been asked yet. */
  notProbed: 'NotProbed',
} as const;

/** Waiting reasons of the kubelet that it does not leave by itself within seconds. */
export const SETTLED_WAITING_REASONS: readonly string[] = [
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'CreateContainerConfigError',
  'CrashLoopBackOff',
];
