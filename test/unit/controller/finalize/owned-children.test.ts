import { describe, expect, it } from 'vitest';
import type { RelatedObjects } from '../../../../controller/cache/agent-cache.js';
import { describeChild, ownedChildren } from '../../../../controller/finalize/owned-children.js';
import type { Binding, KubeObject, ObjectMeta, StoredAgent } from '../../../../controller/kube/objects.js';
import { clusterRoleBindingName, roleBindingName } from '../../../../lib/names.js';

const LABELS = { 'hermes-gitops.dev/agent': 'mia', 'hermes-gitops.dev/agent-namespace': 'lab' };
const BEFORE = '2026-05-01T10:00:00Z';
const DELETED = '2026-05-01T10:00:01Z';
const AFTER = '2026-05-01T10:00:02Z';

const meta = (name: string, more: Partial<ObjectMeta> = {}): ObjectMeta => ({
  name,
  namespace: 'lab',
  uid: `uid-${name}`,
  resourceVersion: '1',
  creationTimestamp: BEFORE,
  labels: LABELS,
  ...more,
});

const child = (kind: string, name: string, more: Partial<ObjectMeta> = {}): KubeObject => ({
  kind,
  metadata: meta(name, more),
});

const agent = (spec: unknown = {}): StoredAgent => ({
  metadata: { ...meta('mia'), deletionTimestamp: DELETED },
  spec,
});

const edit = { kind: 'ClusterRole', name: 'edit' } as const;

function binding(namespace: string | undefined, more: Partial<Binding> & { readonly name?: string } = {}): Binding {
  const computed =
    namespace === undefined
      ? clusterRoleBindingName('mia', 'lab', edit)
      : roleBindingName('mia', 'lab', namespace, edit);
  const { name = computed, ...rest } = more;
  const metadata = { name, uid: `uid-${name}`, resourceVersion: '1', creationTimestamp: BEFORE, labels: LABELS };
  return {
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', ...edit },
    subjects: [{ kind: 'ServiceAccount', name: 'hermes-mia', namespace: 'lab' }],
    ...rest,
    metadata: namespace === undefined ? metadata : { ...metadata, namespace },
  };
}

const found = (related: Partial<RelatedObjects>, spec: unknown = {}): string[] =>
  ownedChildren(agent(spec), { replicaSets: [], pods: [], bindings: [], children: [], ...related }).map(describeChild);

describe('ownedChildren', () => {
  it('deletes rights first and the claim last, the switched-off parts included', () => {
    const children = [
      child('PersistentVolumeClaim', 'hermes-mia-data'),
      child('ServiceAccount', 'hermes-mia'),
      child('Service', 'hermes-mia'),
      child('Service', 'hermes-mia-dashboard'),
      child('Ingress', 'hermes-mia-dashboard'),
      child('NetworkPolicy', 'hermes-mia'),
      child('Role', 'hermes-mia-self'),
    ];
    const related = {
      deployment: { metadata: meta('hermes-mia') },
      bindings: [binding('other'), binding(undefined), binding('lab', { name: 'hermes-mia-self' })],
      children,
    };
    expect(found(related, { storage: { persistentVolumeClaim: { accessModes: [] }, retainPolicy: 'Delete' } })).toEqual(
      [
        `RoleBinding other/${roleBindingName('mia', 'lab', 'other', edit)}`,
        `ClusterRoleBinding ${clusterRoleBindingName('mia', 'lab', edit)}`,
        'RoleBinding lab/hermes-mia-self',
        'Role lab/hermes-mia-self',
        'Ingress lab/hermes-mia-dashboard',
        'Service lab/hermes-mia-dashboard',
        'Service lab/hermes-mia',
        'Deployment lab/hermes-mia',
        'NetworkPolicy lab/hermes-mia',
        'ServiceAccount lab/hermes-mia',
        'PersistentVolumeClaim lab/hermes-mia-data',
      ],
    );
  });

  it.each([
    ['the policy is Retain', { storage: { persistentVolumeClaim: { accessModes: ['x'] }, retainPolicy: 'Retain' } }],
    ['the policy is not set', { storage: { persistentVolumeClaim: { accessModes: ['x'] } } }],
    ['the spec is null', null],
    ['the storage is a list', { storage: ['Delete'] }],
    ['an existing claim is used', { storage: { existingClaimName: 'hermes-mia-data', retainPolicy: 'Delete' } }],
  ])('keeps the claim when %s', (_, spec) => {
    expect(found({ children: [child('PersistentVolumeClaim', 'hermes-mia-data')] }, spec)).toEqual([]);
  });

  it.each<[string, Partial<RelatedObjects>]>([
    ['an object of another name', { children: [child('Service', 'web')] }],
    ['an object of another kind under our name', { children: [child('Secret', 'hermes-mia')] }],
    ['an object in another namespace', { children: [child('Service', 'hermes-mia', { namespace: 'other' })] }],
    [
      'an object that says it belongs to an agent of another namespace',
      {
        children: [
          child('Service', 'hermes-mia', { labels: { ...LABELS, 'hermes-gitops.dev/agent-namespace': 'other' } }),
        ],
      },
    ],
    [
      'an object made after the agent was deleted',
      { children: [child('Service', 'hermes-mia', { creationTimestamp: AFTER })] },
    ],
    [
      'a Deployment made after the agent was deleted',
      { deployment: { metadata: meta('hermes-mia', { creationTimestamp: AFTER }) } },
    ],
    ['a binding under a made-up name', { bindings: [binding('other', { name: 'admins' })] }],
    [
      'a binding whose roleRef is not the one in its name',
      { bindings: [binding('other', { roleRef: { kind: 'ClusterRole', name: 'admin' } })] },
    ],
    ['a binding of somebody else', { bindings: [binding('other', { subjects: [{ kind: 'User', name: 'ann' }] })] }],
    [
      'a binding that has another subject too',
      {
        bindings: [
          binding('other', {
            subjects: [
              { kind: 'ServiceAccount', name: 'hermes-mia', namespace: 'lab' },
              { kind: 'User', name: 'ann' },
            ],
          }),
        ],
      },
    ],
    ['a binding without subjects', { bindings: [binding('other', { subjects: [] })] }],
    ['a self binding of another namespace', { bindings: [binding('other', { name: 'hermes-mia-self' })] }],
  ])('leaves %s alone', (_, related) => {
    expect(found(related)).toEqual([]);
  });

  it('takes what was made in the very second of the deletion', () => {
    expect(found({ children: [child('Service', 'hermes-mia', { creationTimestamp: DELETED })] })).toEqual([
      'Service lab/hermes-mia',
    ]);
  });

  it('knows bindings of a service account that the spec names', () => {
    const subjects = [{ kind: 'ServiceAccount', name: 'own', namespace: 'lab' }];
    expect(found({ bindings: [binding('other', { subjects })] })).toEqual([]);
    expect(found({ bindings: [binding('other', { subjects })] }, { serviceAccountName: 'own' })).toHaveLength(1);
  });
});
