import { ALWAYS_ALLOWED_IN_NAMESPACE, type BindingGates } from '../../../lib/api/binding-gates.js';
import { agentResourceName } from '../../../lib/names.js';
import type { PolicyDefinition } from './admission-policy.js';
import { celList, celText } from './cel.js';

/** What every rendered account of an agent begins with. */
const ACCOUNT_PREFIX = agentResourceName('');

/** Kubernetes itself binds these to every account; they tell what the API server can do and nothing of what it holds. */
const PUBLIC = [
  'system:basic-user',
  'system:discovery',
  'system:public-info-viewer',
  'system:service-account-issuer-discovery',
];

/** Groups that an agent's account is in wherever it lives. */
const EVERYONE = ['system:authenticated', 'system:serviceaccounts'];

const PREFIX = celText(ACCOUNT_PREFIX);
const subjects = `(has(object.subjects) ? object.subjects : [])`;

/**
 * The namespaces that the agents among the subjects live in; empty texts for those that may live anywhere. An account
 * can be named in three ways: as itself, as a user, and by a group.
 */
const HOMES = [
  `${subjects}.filter(s, s.kind == 'ServiceAccount' && s.name.startsWith(${PREFIX}))` +
    `.map(s, has(s.namespace) ? s.namespace : '')`,
  `${subjects}.filter(s, s.kind == 'User' && s.name.matches('^system:serviceaccount:[^:]*:${ACCOUNT_PREFIX}'))` +
    `.map(s, s.name.split(':')[2])`,
  `${subjects}.filter(s, s.kind == 'Group' && s.name.startsWith('system:serviceaccounts:')).map(s, s.name.split(':')[2])`,
  `${subjects}.filter(s, s.kind == 'Group' && s.name in ${celList(EVERYONE)}).map(s, '')`,
].join(' + ');

/** The variables of the policy that hold the lists, by the setting that each is of. */
export const LIST_VARIABLES = {
  allowedClusterRoles: 'clusterRoles',
  allowedBindingNamespaces: 'namespaces',
} as const satisfies Record<keyof BindingGates, string>;

/** Name of the policy. */
export const BINDING_LISTS_POLICY = 'hermes-gitops-binding-lists';

/**
 * A list as one text between the first two quotes, where a kustomize replacement finds it.
 *
 * The lists stand in the policy itself and not in a ConfigMap as its parameter: an API server that saw the last policy
 * with a ConfigMap as its parameter go stops watching ConfigMaps for policies until it is restarted (observed on 1.37),
 * and would judge by the lists of before once the policy is installed again.
 */
const list = (names: readonly string[]): string =>
  `${celText(names.join(','))}.split(',').map(n, n.trim()).filter(n, n != '')`;

/**
 * Keeps what agents are bound to inside the lists, whoever writes the binding and whatever labels it has. Bindings of
 * others, and those whose subjects stay as they are, pass.
 */
export const bindingListsPolicy = (gates: BindingGates): PolicyDefinition => ({
  name: BINDING_LISTS_POLICY,
  resourceRules: [
    {
      apiGroups: ['rbac.authorization.k8s.io'],
      apiVersions: ['*'],
      resources: ['rolebindings', 'clusterrolebindings'],
      operations: ['CREATE', 'UPDATE'],
    },
  ],
  matchConditions: [
    { name: 'has-subjects', expression: 'has(object.subjects)' },
    {
      // The roleRef cannot change, so without another subject nobody gains a right.
      name: 'subjects-changed',
      expression: 'oldObject == null || !has(oldObject.subjects) || oldObject.subjects != object.subjects',
    },
    {
      // The API server puts its own bindings in order at every start, and must not fail to.
      name: 'not-the-api-server',
      expression: `request.userInfo.username != 'system:apiserver'`,
    },
  ],
  variables: [
    { name: 'homes', expression: HOMES },
    { name: 'isClusterWide', expression: `request.resource.resource == 'clusterrolebindings'` },
    { name: LIST_VARIABLES.allowedClusterRoles, expression: list(gates.allowedClusterRoles) },
    { name: LIST_VARIABLES.allowedBindingNamespaces, expression: list(gates.allowedBindingNamespaces) },
  ],
  validations: [
    {
      expression:
        'variables.isClusterWide || request.namespace in variables.namespaces' +
        ' || variables.homes.all(home, home == request.namespace)',
      message:
        'an agent may be bound in its own namespace and in those of allowedBindingNamespaces in the settings of hermes-gitops',
    },
    {
      expression:
        `variables.homes.size() == 0 || object.roleRef.kind != 'ClusterRole'` +
        ` || object.roleRef.name in variables.clusterRoles || object.roleRef.name in ${celList(PUBLIC)}` +
        ` || (!variables.isClusterWide && object.roleRef.name in ${celList(ALWAYS_ALLOWED_IN_NAMESPACE)})`,
      message: `an agent may be bound to the ClusterRoles of allowedClusterRoles in the settings of hermes-gitops, and within a namespace to ${ALWAYS_ALLOWED_IN_NAMESPACE.join(' and ')}`,
    },
  ],
});
