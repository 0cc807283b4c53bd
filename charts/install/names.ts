import { INSTALL_PART_OF } from '../../lib/api/identity.js';
import { DEFAULT_CONTROLLER_NAMESPACE } from '../../lib/api/probe-access.js';

/** Namespace of the controller. */
export const SYSTEM_NAMESPACE = DEFAULT_CONTROLLER_NAMESPACE;

/** Name of the controller's Deployment, Service and most else. */
export const CONTROLLER = 'hermes-gitops-controller';

/** The controller's ServiceAccount. Agents' accounts begin with `hermes-`, and this one must not look like theirs. */
export const CONTROLLER_ACCOUNT = 'gitops-controller';

/** How the API server names that account. */
export const CONTROLLER_USERNAME = `system:serviceaccount:${SYSTEM_NAMESPACE}:${CONTROLLER_ACCOUNT}`;

/** A ConfigMap in a kustomization of the user's, which the components read at build time and nobody applies. */
export const SETTINGS = 'hermes-gitops-settings';

/** Lists that can be set, by their key in {@link SETTINGS}; each value is names with commas between them. */
export const LISTS = {
  allowedClusterRoles: { variable: 'ALLOWED_CLUSTER_ROLES', flag: 'allowed-cluster-roles' },
  allowedBindingNamespaces: { variable: 'ALLOWED_BINDING_NAMESPACES', flag: 'allowed-binding-namespaces' },
  namespaces: { variable: 'WATCHED_NAMESPACES', flag: 'namespaces' },
} as const satisfies Record<string, ListSetting>;

/**
 * How a list reaches the controller: by a variable of its container, which one of its flags takes up. No variable may be
 * a part of another one's name: kustomize finds them by a pattern.
 */
export interface ListSetting {
  readonly variable: string;
  readonly flag: string;
}

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
  [INSTALL_PART_OF[0]]: INSTALL_PART_OF[1],
} as const;
