import { DEFAULT_CONTROLLER_NAMESPACE } from '../../lib/api/probe-access.js';

/** Namespace of the controller. */
export const SYSTEM_NAMESPACE = DEFAULT_CONTROLLER_NAMESPACE;

/** Name of the controller's Deployment, Service and most else. */
export const CONTROLLER = 'hermes-gitops-controller';

/** The controller's ServiceAccount. Agents' accounts begin with `hermes-`, and this one must not look like theirs. */
export const CONTROLLER_ACCOUNT = 'gitops-controller';

/** How the API server names that account. */
export const CONTROLLER_USERNAME = `system:serviceaccount:${SYSTEM_NAMESPACE}:${CONTROLLER_ACCOUNT}`;

/** The Lease of the leader. */
export const LEASE = 'hermes-gitops-controller';

/** ConfigMap with the lists of what agents may be bound to and where. */
export const BINDING_LISTS = 'hermes-gitops-binding-lists';

/** Keys of {@link BINDING_LISTS}; each value is names with commas between them. */
export const BINDING_LIST_KEYS = {
  clusterRoles: 'allowedClusterRoles',
  namespaces: 'allowedBindingNamespaces',
} as const;

/** Ports of the controller. */
export const PORTS = { metrics: 8443, health: 8081 } as const;

/** Labels that select the controller's pods and no other. */
export const CONTROLLER_SELECTOR = {
  'app.kubernetes.io/name': 'hermes-gitops',
  'app.kubernetes.io/component': 'controller',
} as const;

/**
 * Labels of every object of the install set. Without the managed-by label of agents' children on purpose: by that label
 * the controller is let delete things.
 */
export const INSTALL_LABELS = {
  ...CONTROLLER_SELECTOR,
  'app.kubernetes.io/part-of': 'hermes-gitops',
} as const;
