import { describe, expect, it } from 'vitest';

import { STRICTER_RULES } from '../../../../../lib/validation/stricter-rules.js';
import { ALLOWED, problemsOf, verdict, type VerdictRow } from '../../../../support/verdict.js';

const env = (variable: object): object => ({ env: [{ name: 'A', ...variable }] });
const mount = (fields: object): object => ({ volumeMounts: [{ name: 'data', mountPath: '/a', ...fields }] });
const policy = (fields: object): object => ({ networkPolicy: { enabled: true, ...fields } });

const binding = (namespace: string, kind: string, name: string): object => ({ namespace, roleRef: { kind, name } });
const namespaced = (...roleBindings: readonly object[]): object => ({ rbac: { roleBindings } });
const clusterWide = (...names: readonly string[]): object => ({
  rbac: { clusterRoleBindings: names.map((name) => ({ roleRef: { kind: 'ClusterRole', name } })) },
});
const auth = { env: [{ name: 'HERMES_DASHBOARD_BASIC_AUTH_PASSWORD', value: 'x' }] };
const ingress = (fields: object): object => ({
  dashboard: {
    enabled: true,
    ...auth,
    ingress: {
      enabled: true,
      host: 'a.example.net',
      ingressClassName: 'nginx',
      annotations: { 'x.io/auth-url': 'u' },
      ...fields,
    },
  },
});
const hex = (length: number): string => 'a'.repeat(length);

const agents: readonly VerdictRow[] = [
  ...[
    'reg.example.net:5000/a/hermes:v1',
    `reg:5000/h:v1@sha256:${hex(64)}`,
    `reg/h@sha256:${hex(64)}`,
    'localhost/h:v1',
    'a__b/c-d.e:V_1.x-y',
    '[::1]:5000/h:v1',
  ].map((text) => ({ what: `image ${text}`, spec: { image: text }, want: [] })),
  ...[
    'reg/h::v1',
    'Reg/H:v1',
    'reg/h:v1\n',
    'reg/a b:v1',
    `h@sha256:${hex(63)}`,
    'reg//h:v1',
    'h:',
    'h:-x',
    'https://reg/h:v1',
    '-h:v1',
    `${'a'.repeat(300)}:v1`,
  ].map((text) => ({ what: `image ${JSON.stringify(text)}`, spec: { image: text }, want: ['ImageSyntax image'] })),
  { what: 'an image that moves', spec: { image: 'reg/h:latest' }, want: ['! MovingTag image'] },
  { what: 'an image without a tag', spec: { image: 'reg:5000/h' }, want: ['! MovingTag image'] },
  { what: 'latest with a digest', spec: { image: `reg/h:latest@sha256:${hex(64)}` }, want: [] },
  {
    what: 'a bad image of the dashboard',
    spec: { dashboard: { image: 'A B' } },
    want: ['ImageSyntax dashboard.image'],
  },

  { what: 'allowed ClusterRoles', spec: clusterWide('view', 'metrics'), want: [] },
  {
    what: 'a ClusterRole of another case',
    spec: clusterWide('view', 'View'),
    want: ['ClusterRoleNotAllowed rbac.clusterRoleBindings[1].roleRef.name'],
  },
  {
    what: 'a Role for the whole cluster',
    spec: { rbac: { clusterRoleBindings: [{ roleRef: { kind: 'Role', name: 'x' } }] } },
    want: ['NotAllowedValue rbac.clusterRoleBindings[0].roleRef.kind'],
  },
  {
    what: 'a ClusterRole twice',
    spec: clusterWide('view', 'view'),
    want: ['DuplicateBinding rbac.clusterRoleBindings[1]'],
  },
  {
    what: 'Roles of its own namespace and an allowed one',
    spec: namespaced(binding('lab', 'Role', 'x'), binding('shared', 'Role', 'x')),
    want: [],
  },
  {
    what: 'a Role elsewhere',
    spec: namespaced(binding('prod', 'Role', 'x')),
    want: ['NamespaceNotAllowed rbac.roleBindings[0].namespace'],
  },
  {
    what: 'edit and view in its namespace',
    spec: namespaced(binding('lab', 'ClusterRole', 'edit'), binding('lab', 'ClusterRole', 'view')),
    want: [],
  },
  {
    what: 'cluster-admin in its namespace',
    spec: namespaced(binding('lab', 'ClusterRole', 'cluster-admin')),
    want: ['ClusterRoleNotAllowed rbac.roleBindings[0].roleRef.name'],
  },
  {
    what: 'one binding twice',
    spec: namespaced(binding('lab', 'Role', 'x'), binding('lab', 'Role', 'x')),
    want: ['DuplicateBinding rbac.roleBindings[1]'],
  },
  {
    what: 'a Role and a ClusterRole of one name',
    spec: namespaced(binding('lab', 'Role', 'view'), binding('lab', 'ClusterRole', 'view')),
    want: [],
  },
  {
    what: 'a role name that is a path',
    spec: namespaced(binding('lab', 'Role', 'a/b')),
    want: ['BadName rbac.roleBindings[0].roleRef.name'],
  },
  { what: 'a role name with a colon', spec: namespaced(binding('lab', 'Role', 'system:x')), want: [] },

  {
    what: 'egress rules without policyTypes',
    spec: policy({ egress: [{}] }),
    want: ['! NetworkPolicySurprise networkPolicy.egress'],
  },
  {
    what: 'empty egress without policyTypes',
    spec: policy({ egress: [] }),
    want: ['AmbiguousNetworkPolicy networkPolicy.egress'],
  },
  {
    what: 'empty egress beside ingress rules',
    spec: policy({ ingress: [{}], egress: [] }),
    want: ['AmbiguousNetworkPolicy networkPolicy.egress'],
  },
  {
    what: 'empty ingress without policyTypes',
    spec: policy({ ingress: [] }),
    want: ['AmbiguousNetworkPolicy networkPolicy.ingress'],
  },
  { what: 'all ingress denied in words', spec: policy({ policyTypes: ['Ingress'], ingress: [] }), want: [] },
  { what: 'nothing but policyTypes', spec: policy({ policyTypes: ['Ingress', 'Egress'] }), want: [] },
  { what: 'nothing at all', spec: policy({}), want: ['AmbiguousNetworkPolicy networkPolicy'] },
  {
    what: 'empty policyTypes',
    spec: policy({ policyTypes: [], ingress: [{}] }),
    want: ['AmbiguousNetworkPolicy networkPolicy.policyTypes'],
  },
  {
    what: 'rules that policyTypes leaves out',
    spec: policy({ policyTypes: ['Ingress'], egress: [{}] }),
    want: ['AmbiguousNetworkPolicy networkPolicy.egress'],
  },
  { what: 'one rule that allows all', spec: policy({ ingress: [{}] }), want: [] },
  {
    what: 'a rule from nowhere, that is everywhere',
    spec: policy({ ingress: [{ from: [] }] }),
    want: ['! NetworkPolicySurprise networkPolicy.ingress[0].from'],
  },
  { what: 'a policy that is off', spec: { networkPolicy: { enabled: false, egress: [] } }, want: [] },
  {
    what: 'a policy that rendering opens for the probe',
    spec: { ...policy({ policyTypes: ['Ingress'] }), dashboard: { enabled: true, ...auth } },
    want: [],
  },

  {
    what: 'a dashboard without credentials',
    spec: { dashboard: { enabled: true } },
    want: ['! DashboardWithoutAuth dashboard'],
  },
  {
    what: 'a dashboard with a Secret',
    spec: { dashboard: { enabled: true, envFrom: [{ secretRef: { name: 's' } }] } },
    want: [],
  },
  { what: 'an ingress in order', spec: ingress({}), want: [] },
  { what: 'an ingress of all names below one', spec: ingress({ host: '*.example.net' }), want: [] },
  {
    what: 'an ingress host with a scheme',
    spec: ingress({ host: 'https://a.example.net' }),
    want: ['BadHost dashboard.ingress.host'],
  },
  {
    what: 'an ingress host with a port',
    spec: ingress({ host: 'a.example.net:443' }),
    want: ['BadHost dashboard.ingress.host'],
  },
  {
    what: 'an ingress host that is an address',
    spec: ingress({ host: '10.0.0.1' }),
    want: ['BadHost dashboard.ingress.host'],
  },
  {
    what: 'a class said twice',
    spec: ingress({ annotations: { 'kubernetes.io/ingress.class': 'x', 'x.io/auth': 'y' } }),
    want: ['Exclusive dashboard.ingress.annotations["kubernetes.io/ingress.class"]'],
  },
  {
    what: 'an ingress that anybody passes',
    spec: ingress({ annotations: {} }),
    want: ['! IngressWithoutAuth dashboard.ingress'],
  },
  {
    what: 'an ingress without its dashboard',
    spec: { dashboard: { ...(ingress({}) as { dashboard: object }).dashboard, enabled: false } },
    want: ['IngressWithoutDashboard dashboard.ingress'],
  },

  {
    what: 'labels of ours',
    spec: { podLabels: { 'hermes-gitops.dev/agent': 'x', 'app.kubernetes.io/name': 'y', team: 'z' } },
    want: ['Clash podLabels["hermes-gitops.dev/agent"]', 'Clash podLabels["app.kubernetes.io/name"]'],
  },
  {
    what: 'labels that are none',
    spec: { podLabels: { 'a b': 'x', c: '-' } },
    want: ['BadName podLabels["a b"]', 'BadName podLabels.c'],
  },
  {
    what: 'our annotation',
    spec: { podAnnotations: { 'kubectl.kubernetes.io/default-container': 'x' } },
    want: ['Clash podAnnotations["kubectl.kubernetes.io/default-container"]'],
  },
  { what: 'a volume of ours', spec: { volumes: [{ name: 'data', emptyDir: {} }] }, want: ['Clash volumes[0].name'] },
  {
    what: 'a mount over ours',
    spec: mount({ mountPath: '/opt/../opt/data/' }),
    want: ['Clash volumeMounts[0].mountPath'],
  },
  { what: 'a mount below ours', spec: mount({ mountPath: '/opt/data/sub' }), want: [] },
  { what: 'a mount of an unknown volume', spec: mount({ name: 'q' }), want: ['UnknownVolume volumeMounts[0].name'] },
  {
    what: 'names of objects that are none',
    spec: {
      serviceAccountName: 'A',
      priorityClassName: 'b_',
      runtimeClassName: '-',
      imagePullSecrets: [{ name: 'X' }],
    },
    want: [
      'BadName serviceAccountName',
      'BadName priorityClassName',
      'BadName runtimeClassName',
      'BadName imagePullSecrets[0].name',
    ],
  },
  {
    what: 'a variable that rendering sets',
    spec: { env: [{ name: 'HERMES_PROFILE', value: 'x' }] },
    want: ['! OverriddenVariable env[0].name'],
  },
  {
    what: 'text that Flux would replace',
    spec: env({ value: '${USER} $(H) $$x' }),
    want: ['! FluxSubstitution env[0].value'],
  },
  { what: 'text that Flux leaves alone', spec: env({ value: '$USER $(H) $$x' }), want: [] },
];

describe('the agent as a whole', () => {
  it.each(agents)('$what', ({ spec, want }) => {
    expect(verdict(spec)).toEqual(want);
  });

  it('may hold ${…} when the output is for Flux', () => {
    expect(verdict(env({ value: '${USER}' }), { ...ALLOWED, flux: true })).toEqual([]);
  });

  it.each<[string, object, string[]]>([
    ['shuts the probe out', { policyTypes: ['Ingress'] }, ['! ProbeBlocked networkPolicy.ingress']],
    ['opens another port', { ingress: [{ ports: [{ port: 80 }] }] }, ['! ProbeBlocked networkPolicy.ingress']],
    ['lets the probe in', { ingress: [{ ports: [{ port: 9119 }] }] }, []],
    ['restricts egress alone', { policyTypes: ['Egress'] }, []],
  ])('hears of a policy that %s when no namespace is the one of the controller', (_, fields, want) => {
    const spec = { ...policy(fields), dashboard: { enabled: true, ...auth } };
    expect(verdict(spec, { ...ALLOWED, controllerNamespace: '' })).toEqual(want);
  });

  it.each<[string, object, string, string]>([
    ['without dashboard', {}, 'hermes', 'without policyTypes all ingress is denied too'],
    [
      'with a dashboard that rendering opens for the controller',
      { dashboard: { enabled: true, ...auth } },
      'hermes',
      "without policyTypes all ingress but the controller's to the dashboard is denied too",
    ],
    [
      'with a dashboard that it does not',
      { dashboard: { enabled: true, ...auth } },
      '',
      'without policyTypes all ingress is denied too',
    ],
  ])('hears what is denied by egress rules alone, %s', (_, fields, controllerNamespace, want) => {
    const spec = { ...policy({ egress: [{}] }), ...fields };
    const [surprise] = problemsOf(spec, { ...ALLOWED, controllerNamespace });
    expect(surprise?.message).toBe(want);
  });

  it('refuses by the allowed lists as they are, which are empty by default', () => {
    const none = { allowedClusterRoles: [], allowedBindingNamespaces: [] };
    expect(verdict(clusterWide('view'), none)).toEqual([
      'ClusterRoleNotAllowed rbac.clusterRoleBindings[0].roleRef.name',
    ]);
  });
});

describe('STRICTER_RULES', () => {
  it('gives each rule one reason', () => {
    const names = STRICTER_RULES.map(({ rule }) => rule);
    expect(new Set(names).size).toBe(names.length);
    expect(STRICTER_RULES.filter(({ reason }) => reason.length < 20)).toEqual([]);
  });
});
