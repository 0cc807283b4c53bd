import { agentResourceName } from '../../../lib/names.js';
import { BINDING_LIST_KEYS, BINDING_LISTS, SYSTEM_NAMESPACE } from '../names.js';
import type { PolicyDefinition } from './admission-policy.js';
import { celList, celText } from './cel.js';

/** What every rendered account of an agent begins with. */
const ACCOUNT_PREFIX = agentResourceName('');

/** ClusterRoles that agents may have within a namespace without being listed. */
const WITHIN_NAMESPACE = ['view', 'edit'];

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

const list = (key: string): string =>
  `has(params.data) && ${celText(key)} in params.data ? params.data[${celText(key)}].split(',').map(n, n.trim()) : []`;

/**
 * Keeps what agents are bound to inside the lists, whoever writes the binding and whatever labels it has. Bindings of
 * others, and those whose subjects stay as they are, pass.
 */
export const bindingListsPolicy: PolicyDefinition = {
  name: 'hermes-gitops-binding-lists',
  parameters: { name: BINDING_LISTS, namespace: SYSTEM_NAMESPACE },
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
    { name: 'clusterRoles', expression: list(BINDING_LIST_KEYS.clusterRoles) },
    { name: 'namespaces', expression: list(BINDING_LIST_KEYS.namespaces) },
  ],
  validations: [
    {
      expression:
        'variables.isClusterWide || request.namespace in variables.namespaces' +
        ' || variables.homes.all(home, home == request.namespace)',
      message: `an agent may be bound in its own namespace and in those of ${BINDING_LIST_KEYS.namespaces} in the ConfigMap ${SYSTEM_NAMESPACE}/${BINDING_LISTS}`,
    },
    {
      expression:
        `variables.homes.size() == 0 || object.roleRef.kind != 'ClusterRole'` +
        ` || object.roleRef.name in variables.clusterRoles || object.roleRef.name in ${celList(PUBLIC)}` +
        ` || (!variables.isClusterWide && object.roleRef.name in ${celList(WITHIN_NAMESPACE)})`,
      message: `an agent may be bound to the ClusterRoles of ${BINDING_LIST_KEYS.clusterRoles} in the ConfigMap ${SYSTEM_NAMESPACE}/${BINDING_LISTS}, and within a namespace to ${WITHIN_NAMESPACE.join(' and ')}`,
    },
  ],
};
