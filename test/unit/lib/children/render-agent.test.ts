import { describe, expect, it } from 'vitest';
import type { HermesAgentSpec } from '../../../../lib/api/generated/types.js';
import { renderAgent, renderAgentChildren } from '../../../../lib/children/render-agent.js';
import { toYamlStream } from '../../../../lib/emit/yaml.js';
import { CLAIM, resolvedAgent } from '../../../support/resolved-agent.js';

/** Every child that an agent can have. */
const EVERYTHING: Partial<HermesAgentSpec> = {
  env: [{ name: 'PS1', value: '${USER}' }],
  rbac: {
    roleBindings: [
      { namespace: 'lab', roleRef: { kind: 'Role', name: 'reader' } },
      { namespace: 'ops', roleRef: { kind: 'ClusterRole', name: 'view' } },
    ],
    clusterRoleBindings: [{ roleRef: { kind: 'ClusterRole', name: 'view' } }],
  },
  dashboard: { enabled: true, ingress: { enabled: true, ingressClassName: 'nginx', host: 'mia.example.net' } },
  networkPolicy: { enabled: true, ingress: [{}] },
};

const identities = (spec: Partial<HermesAgentSpec>): string[] =>
  renderAgent(resolvedAgent(spec)).map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? '-'}/${metadata.name}`);

const MINIMAL = [
  'HermesAgent lab/mia',
  'ServiceAccount lab/hermes-mia',
  'Role lab/hermes-mia-self',
  'RoleBinding lab/hermes-mia-self',
  'PersistentVolumeClaim lab/hermes-mia-data',
  'Service lab/hermes-mia',
  'Deployment lab/hermes-mia',
];

describe('renderAgent', () => {
  it.each<[string, Partial<HermesAgentSpec>, string[]]>([
    ['a minimal agent', {}, MINIMAL],
    ['a suspended agent: everything stays', { suspend: true }, MINIMAL],
    [
      'an agent with its own service account and claim',
      { serviceAccountName: 'own', storage: { existingClaimName: 'old', persistentVolumeClaim: {} } },
      ['HermesAgent lab/mia', 'Service lab/hermes-mia', 'Deployment lab/hermes-mia'],
    ],
    [
      'rules and ingress that are switched off',
      {
        networkPolicy: { enabled: false, ingress: [{}] },
        dashboard: { enabled: false, ingress: { enabled: true, ingressClassName: 'nginx', host: 'a.example.net' } },
      },
      MINIMAL,
    ],
    [
      'everything, in the order of application',
      EVERYTHING,
      [
        'HermesAgent lab/mia',
        'ServiceAccount lab/hermes-mia',
        'Role lab/hermes-mia-self',
        'RoleBinding lab/hermes-mia-self',
        'RoleBinding ops/hermes-mia-322b484f',
        'RoleBinding lab/hermes-mia-f8445855',
        'ClusterRoleBinding -/hermes-lab-mia-bd046420',
        'PersistentVolumeClaim lab/hermes-mia-data',
        'NetworkPolicy lab/hermes-mia',
        'Service lab/hermes-mia',
        'Deployment lab/hermes-mia',
        'Service lab/hermes-mia-dashboard',
        'Ingress lab/hermes-mia-dashboard',
      ],
    ],
  ])('renders %s', (_, spec, want) => {
    expect(identities(spec)).toEqual(want);
  });

  it('labels every child and stamps it with the digest, and adds nothing to the agent itself', () => {
    const [agent, ...children] = renderAgent(resolvedAgent(EVERYTHING, { labels: { team: 'x' } }));
    expect(agent?.metadata).toEqual({ name: 'mia', namespace: 'lab', labels: { team: 'x' } });
    for (const { metadata } of children) {
      expect(metadata.labels).toEqual({
        'app.kubernetes.io/name': 'hermes-agent',
        'app.kubernetes.io/managed-by': 'hermes-gitops',
        'hermes-gitops.dev/agent': 'mia',
        'hermes-gitops.dev/agent-namespace': 'lab',
      });
      expect(metadata.annotations).toHaveProperty(['hermes-gitops.dev/spec-digest'], 'v1:0000');
    }
    expect(children).toHaveLength(12);
  });

  it('gives the same binding names whatever the order of the entries', () => {
    const [first, second] = EVERYTHING.rbac?.roleBindings ?? [];
    if (first === undefined || second === undefined) throw new Error('two bindings are needed');
    const names = (roleBindings: NonNullable<HermesAgentSpec['rbac']>['roleBindings'] & object): string[] =>
      renderAgentChildren(resolvedAgent({ rbac: { roleBindings } })).roleBindings.map(({ metadata }) => metadata.name);
    expect(names([second, first])).toEqual(names([first, second]));
    expect(names([second])).toEqual(['hermes-mia-322b484f']);
  });

  it('copies no mark of an engine and keeps what the author wrote', () => {
    const manifests = renderAgent(
      resolvedAgent(
        {},
        {
          labels: { 'argocd.argoproj.io/instance': 'apps', 'app.kubernetes.io/instance': 'apps', team: 'x' },
          annotations: {
            'argocd.argoproj.io/tracking-id': 'apps:x',
            'argocd.argoproj.io/sync-options': 'Prune=false',
            'kubectl.kubernetes.io/last-applied-configuration': '{}',
          },
        },
      ),
    );
    expect(manifests[0]?.metadata).toEqual({
      name: 'mia',
      namespace: 'lab',
      labels: { 'app.kubernetes.io/instance': 'apps', team: 'x' },
      annotations: { 'argocd.argoproj.io/sync-options': 'Prune=false' },
    });
    const children = JSON.stringify(manifests.slice(1));
    expect(children).not.toMatch(/tracking-id|app\.kubernetes\.io\/instance|last-applied|"team"/);
  });

  it('marks what holds a variable for Flux, and nothing without being asked', () => {
    const marked = (flux: boolean): string[] =>
      renderAgent(resolvedAgent(EVERYTHING), { flux })
        .filter(({ metadata }) => metadata.annotations?.['kustomize.toolkit.fluxcd.io/substitute'] === 'disabled')
        .map(({ kind }) => kind);
    expect(marked(false)).toEqual([]);
    expect(marked(true)).toEqual(['HermesAgent', 'Deployment']);
  });

  it('renders the same bytes twice and nothing that belongs to a live object', () => {
    const bytes = toYamlStream(renderAgent(resolvedAgent(EVERYTHING)));
    expect(toYamlStream(renderAgent(resolvedAgent(EVERYTHING)))).toBe(bytes);
    expect(bytes).not.toMatch(/\bnull\b|ownerReferences|finalizers|^status:|restartedAt|sync-wave/m);
  });
});

describe('the claim', () => {
  it.each([
    [
      'is kept by both engines',
      'Retain' as const,
      {
        'argocd.argoproj.io/sync-options': 'Prune=false,Delete=false',
        'argocd.argoproj.io/compare-options': 'IgnoreExtraneous',
        'argocd.argoproj.io/ignore-healthcheck': 'true',
        'kustomize.toolkit.fluxcd.io/prune': 'disabled',
        'hermes-gitops.dev/spec-digest': 'v1:0000',
      },
    ],
    [
      'goes with its agent',
      'Delete' as const,
      { 'argocd.argoproj.io/ignore-healthcheck': 'true', 'hermes-gitops.dev/spec-digest': 'v1:0000' },
    ],
  ])('%s with retainPolicy %s', (_, retainPolicy, want) => {
    const agent = resolvedAgent({ storage: { persistentVolumeClaim: CLAIM, retainPolicy } });
    expect(renderAgentChildren(agent).persistentVolumeClaim?.metadata.annotations).toEqual(want);
  });

  it.each([
    ['no class named', {}, {}],
    ['the empty class, which means none', { storageClassName: '' }, { storageClassName: '' }],
  ])('keeps %s', (_, extra, want) => {
    const agent = resolvedAgent({ storage: { persistentVolumeClaim: { ...CLAIM, ...extra } } });
    expect(renderAgentChildren(agent).persistentVolumeClaim?.['spec']).toEqual({ ...CLAIM, ...want });
  });
});

describe('the network policy', () => {
  const selector = { matchLabels: { 'hermes-gitops.dev/agent': 'mia', 'hermes-gitops.dev/component': 'gateway' } };
  const rule = { to: [{ podSelector: { matchLabels: { a: 'b' } }, namespaceSelector: {} }] };
  const source = { from: [{ podSelector: {} }, { namespaceSelector: {} }] };

  it.each<[string, NonNullable<HermesAgentSpec['networkPolicy']>, object]>([
    [
      'both types when only egress is ruled',
      { egress: [rule] },
      { policyTypes: ['Ingress', 'Egress'], egress: [rule] },
    ],
    ['ingress alone', { ingress: [source] }, { policyTypes: ['Ingress'], ingress: [source] }],
    ['a deny of all ingress', { policyTypes: ['Ingress'], ingress: [] }, { policyTypes: ['Ingress'] }],
    ['an empty rule as it is', { ingress: [{}] }, { policyTypes: ['Ingress'], ingress: [{}] }],
    ['a rule from everywhere', { ingress: [{ from: [] }] }, { policyTypes: ['Ingress'], ingress: [{}] }],
  ])('writes %s', (_, policy, want) => {
    const agent = resolvedAgent({ networkPolicy: { enabled: true, ...policy } });
    expect(renderAgentChildren(agent).networkPolicy?.['spec']).toEqual({ podSelector: selector, ...want });
    expect(renderAgentChildren(agent).hermesAgent['spec']).toMatchObject({ networkPolicy: policy });
  });

  const probe = (namespace: string): object => ({
    from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } }],
    ports: [{ port: 9119, protocol: 'TCP' }],
  });
  const named = (labels: object): object => ({ from: [{ namespaceSelector: { matchLabels: labels } }] });
  const ours = named({ 'kubernetes.io/metadata.name': 'hermes-gitops-system' });
  const system = probe('hermes-gitops-system');

  it.each<[string, object, object[] | undefined]>([
    ['adds to a deny of all ingress', { policyTypes: ['Ingress'] }, [system]],
    ['adds to what egress rules alone imply', { egress: [rule] }, [system]],
    [
      'adds to rules for other ports',
      { ingress: [{ ports: [{ port: 8080 }] }] },
      [{ ports: [{ port: 8080 }] }, system],
    ],
    ['adds to rules for UDP', { ingress: [{ ports: [{ port: 9119, protocol: 'UDP' }] }] }, [expect.anything(), system]],
    ['adds to rules for other namespaces', { ingress: [named({ team: 'x' })] }, [named({ team: 'x' }), system]],
    ['adds nothing to a rule for every namespace', { ingress: [source] }, [source]],
    ['adds to rules for pods of its own', { ingress: [{ from: [{ podSelector: {} }] }] }, [expect.anything(), system]],
    ['adds nothing to a rule for all', { ingress: [{}] }, [{}]],
    ['adds nothing to a rule for the port', { ingress: [{ ports: [{ port: 9119 }] }] }, [{ ports: [{ port: 9119 }] }]],
    ['adds nothing to a rule for its name', { ingress: [{ ports: [{ port: 'dashboard' }] }] }, [expect.anything()]],
    ['adds nothing to a range', { ingress: [{ ports: [{ port: 9000, endPort: 9200 }] }] }, [expect.anything()]],
    ['adds nothing to a rule for the namespace', { ingress: [ours] }, [ours]],
    ['adds nothing to a policy of egress', { policyTypes: ['Egress'] }, undefined],
  ])('%s for the probe of the dashboard', (_, policy, want) => {
    const agent = resolvedAgent({ networkPolicy: { enabled: true, ...policy }, dashboard: { enabled: true } });
    const spec = renderAgentChildren(agent).networkPolicy?.['spec'] as { readonly ingress?: object[] };
    expect(spec.ingress).toEqual(want);
  });

  it.each<[string, string, boolean, object[] | undefined]>([
    ['the namespace of another installation', 'platform', true, [probe('platform')]],
    ['no namespace', '', true, undefined],
    ['no dashboard', 'platform', false, undefined],
  ])('minds %s', (_, controllerNamespace, enabled, want) => {
    const networkPolicy = { enabled: true, policyTypes: ['Ingress' as const] };
    const children = renderAgentChildren(resolvedAgent({ networkPolicy, dashboard: { enabled } }), {
      controllerNamespace,
    });
    expect((children.networkPolicy?.['spec'] as { readonly ingress?: object[] }).ingress).toEqual(want);
  });
});
