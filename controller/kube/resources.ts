import { AGENT_KIND, AGENT_PLURAL, GROUP, RUN_KIND, RUN_PLURAL, VERSION } from '../../lib/api/identity.js';

/** One resource of the API server. */
export interface ResourceType {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Whether somebody may store whatever he likes in a part of it, so that no key means the same everywhere. */
  readonly hasFreeFields?: true;
}

const rbac = (plural: string, kind: string, namespaced: boolean): ResourceType => ({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  plural,
  kind,
  namespaced,
});

const core = (plural: string, kind: string): ResourceType => ({
  group: '',
  version: 'v1',
  plural,
  kind,
  namespaced: true,
});

const named = (group: string, plural: string, kind: string): ResourceType => ({
  group,
  version: 'v1',
  plural,
  kind,
  namespaced: true,
});

/** Every resource that the controller reads or writes. */
export const RESOURCES = {
  agents: { group: GROUP, version: VERSION, plural: AGENT_PLURAL, kind: AGENT_KIND, namespaced: true },
  /** The result of a run is what its agent says. */
  runs: { group: GROUP, version: VERSION, plural: RUN_PLURAL, kind: RUN_KIND, namespaced: true, hasFreeFields: true },
  jobs: named('batch', 'jobs', 'Job'),
  /** Of kubernetes-sigs/agent-sandbox; few clusters have it. */
  sandboxes: { ...named('agents.x-k8s.io', 'sandboxes', 'Sandbox'), version: 'v1beta1' },
  deployments: named('apps', 'deployments', 'Deployment'),
  replicaSets: named('apps', 'replicasets', 'ReplicaSet'),
  pods: core('pods', 'Pod'),
  services: core('services', 'Service'),
  claims: core('persistentvolumeclaims', 'PersistentVolumeClaim'),
  serviceAccounts: core('serviceaccounts', 'ServiceAccount'),
  secrets: core('secrets', 'Secret'),
  networkPolicies: named('networking.k8s.io', 'networkpolicies', 'NetworkPolicy'),
  ingresses: named('networking.k8s.io', 'ingresses', 'Ingress'),
  roles: rbac('roles', 'Role', true),
  roleBindings: rbac('rolebindings', 'RoleBinding', true),
  clusterRoles: rbac('clusterroles', 'ClusterRole', false),
  clusterRoleBindings: rbac('clusterrolebindings', 'ClusterRoleBinding', false),
  customResourceDefinitions: {
    ...named('apiextensions.k8s.io', 'customresourcedefinitions', 'CustomResourceDefinition'),
    namespaced: false,
  },
  leases: named('coordination.k8s.io', 'leases', 'Lease'),
  events: named('events.k8s.io', 'events', 'Event'),
} as const satisfies Record<string, ResourceType>;

/** `apiVersion` of the resource's objects. */
export function apiVersionOf(resource: ResourceType): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

/** Name of the CRD that a resource is served by, if it is a custom one. */
export function crdName({ plural, group }: ResourceType): string {
  return `${plural}.${group}`;
}

/** Path of a collection: of one namespace, or of the cluster. */
export function collectionPath(resource: ResourceType, namespace?: string): string {
  const root = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  const scope = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${root}${scope}/${resource.plural}`;
}

/** Path of one object, or of one of its subresources. */
export function objectPath(
  resource: ResourceType,
  object: { readonly namespace?: string; readonly name: string },
  subresource?: string,
): string {
  const path = `${collectionPath(resource, object.namespace)}/${encodeURIComponent(object.name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}
