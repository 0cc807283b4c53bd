/** What can be set about the install set. */
export interface InstallOptions {
  /** Image of the controller with its tag or digest. @default 'hermes-gitops-controller:latest' */
  readonly image?: string;
  /** Replicas of the controller; one of them works, the others stand by. @default 2 */
  readonly replicas?: number;
  /**
   * ClusterRoles that agents may be bound to. The controller and the admission policy read this one list.
   * @default [] none but `view` and `edit` within a namespace
   */
  readonly allowedClusterRoles?: readonly string[];
  /**
   * Namespaces that agents of other namespaces may be bound in.
   * @default [] none
   */
  readonly allowedBindingNamespaces?: readonly string[];
  /** Ports behind which API servers are found; egress of the controller is limited to them. @default 443, 6443, 8443, 16443 */
  readonly apiServerPorts?: readonly number[];
}

/** {@link InstallOptions} with every default in place. */
export type ResolvedInstallOptions = Required<InstallOptions>;

/** The options with their defaults. */
export function resolveInstallOptions(options: InstallOptions): ResolvedInstallOptions {
  const resolved = {
    image: 'hermes-gitops-controller:latest',
    replicas: 2,
    allowedClusterRoles: [],
    allowedBindingNamespaces: [],
    apiServerPorts: [443, 6443, 8443, 16443],
    ...options,
  };
  for (const name of [...resolved.allowedClusterRoles, ...resolved.allowedBindingNamespaces]) {
    // The lists are one text each where the controller and the policy read them.
    if (name === '' || /[,\s]/.test(name)) throw new Error(`install set: "${name}" cannot be in a list of names`);
  }
  return resolved;
}
