import fc from 'fast-check';

import type { Group } from './campaign.js';
import { plainAgent } from './rule-groups.js';
import { anyText, plainText } from './strings.js';

const DRAWS = 40;

const maybe = <T>(...values: readonly T[]): fc.Arbitrary<T | undefined> =>
  fc.option(fc.constantFrom(...values), { nil: undefined });

/** An object of the fields that are drawn; what is undefined is left out. */
function object(fields: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<object> {
  return fc
    .record(fields)
    .map((drawn) => Object.fromEntries(Object.entries(drawn).filter(([, value]) => value !== undefined)));
}

function listsOf(item: fc.Arbitrary<unknown>): fc.Arbitrary<readonly unknown[]> {
  return fc.array(item, { minLength: 1, maxLength: 2 });
}

const labelSelectors = object({
  matchLabels: maybe<object>({}, { a: 'b' }, { 'a/b': '' }, { a: '-' }, { '': 'a' }),
  matchExpressions: maybe<unknown>([], [{ key: 'a', operator: 'Exists' }], [{ key: 'a', operator: 'In' }]),
});
const amounts = maybe('1', '2', '500m', '1Gi', '1.5Gi', '0', '-1', '0.5m');

/** What kinds of value a field takes beyond its schema, in the combinations that count. */
const COMBINATIONS: Readonly<Record<string, fc.Arbitrary<object>>> = {
  'env names': anyText.map((name) => ({ env: [{ name, value: 'a' }] })),
  'env value and valueFrom': object({
    name: plainText,
    value: maybe('a', ''),
    valueFrom: maybe<object>(
      {},
      { secretKeyRef: { name: 'a', key: 'b' } },
      { fieldRef: { fieldPath: 'metadata.uid' } },
      { secretKeyRef: { key: 'b' } },
      { secretKeyRef: { name: 'a', key: 'b' }, configMapKeyRef: { name: 'a', key: 'b' } },
    ),
  }).map((variable) => ({ env: [variable] })),
  'env references': fc
    .tuple(anyText, anyText)
    .map(([name, key]) => ({ env: [{ name: 'A', valueFrom: { configMapKeyRef: { name, key } } }] })),
  'env fields': object({
    apiVersion: maybe('v1', 'v2', ''),
    fieldPath: fc.constantFrom(
      'metadata.name',
      'metadata.labels',
      "metadata.labels['a']",
      "metadata.annotations['Example.net/A']",
      "metadata.labels['']",
      'spec.nodeName',
      'status.podIP',
      'status.phase',
      'spec',
      'metadata.generation',
    ),
  }).map((fieldRef) => ({ env: [{ name: 'A', valueFrom: { fieldRef } }] })),
  'env resources': object({
    resource: fc.constantFrom(
      'limits.cpu',
      'requests.memory',
      'limits.ephemeral-storage',
      'limits.hugepages-2Mi',
      'limits.gpu',
      'cpu',
    ),
    divisor: maybe('1m', '1', '1Mi', '1Ki', '2', '0', '1M'),
    containerName: maybe('hermes', 'dashboard', 'other', ''),
  }).map((resourceFieldRef) => ({ env: [{ name: 'A', valueFrom: { resourceFieldRef } }] })),
  'env twice': listsOf(
    object({ name: fc.constantFrom('A', 'B', 'HERMES_PROFILE'), value: maybe('a', '$(B)', '') }),
  ).map((env) => ({ env })),
  envFrom: listsOf(
    object({
      prefix: maybe('', 'A_', '1', 'a=b', 'a b'),
      secretRef: maybe<object>({ name: 'a' }, { name: '' }, {}, { name: 'A' }),
      configMapRef: maybe<object>({ name: 'b' }, { optional: true }),
    }),
  ).map((envFrom) => ({ envFrom })),
  resources: object({
    limits: object({ cpu: amounts, memory: amounts }),
    requests: object({ cpu: amounts, memory: amounts }),
  }).map((resources) => ({ resources })),
  'resource names': fc
    .tuple(
      fc.constantFrom(
        'cpu',
        'memory',
        'storage',
        'gpu',
        'example.net/gpu',
        'kubernetes.io/a',
        'requests.example.net/gpu',
        'hugepages-2Mi',
        'hugepages-',
        'ephemeral-storage',
        'pods',
        'a/b/c',
      ),
      fc.constantFrom('1', '2Mi', '1500m'),
      fc.boolean(),
    )
    .map(([name, amount, both]) => ({
      resources: {
        limits: { [name]: amount, memory: '4Mi' },
        ...(both && { requests: { [name]: amount, memory: '4Mi' } }),
      },
    })),
  tolerations: listsOf(
    object({
      key: maybe('a', 'a/b', '', '-'),
      operator: maybe('Exists', 'Equal', 'Lt', 'Gt', ''),
      value: maybe('a', '', '-', '5', 'a b'),
      effect: maybe('NoSchedule', 'NoExecute', 'PreferNoSchedule', ''),
      tolerationSeconds: maybe(30, 0, -1),
    }),
  ).map((tolerations) => ({ tolerations })),
  'node affinity': listsOf(
    object({
      key: fc.constantFrom('a', 'metadata.name', 'a/b', '-'),
      operator: fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'),
      values: maybe<readonly string[]>([], ['a'], ['4'], ['a', 'b'], ['-'], ['']),
    }),
  ).chain((requirements) =>
    fc.constantFrom('matchExpressions', 'matchFields').map((field) => ({
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ [field]: requirements }] },
        },
      },
    })),
  ),
  'pod affinity': object({
    topologyKey: fc.constantFrom('zone', 'a/b', '', '-'),
    labelSelector: fc.option(labelSelectors, { nil: undefined }),
    namespaceSelector: fc.option(labelSelectors, { nil: undefined }),
    namespaces: maybe<readonly string[]>([], ['lab'], ['A'], ['a.b']),
    matchLabelKeys: maybe<readonly string[]>([], ['a'], ['b'], ['-']),
    mismatchLabelKeys: maybe<readonly string[]>([], ['a'], ['b']),
  }).map((term) => ({ affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } })),
  weights: fc.constantFrom(0, 1, 50, 100, 101, -1).map((weight) => ({
    affinity: {
      podAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [{ weight, podAffinityTerm: { topologyKey: 'zone' } }],
      },
    },
  })),
  'topology spread': listsOf(
    object({
      maxSkew: fc.constantFrom(0, 1, 5, -1),
      minDomains: maybe(0, 1, 3),
      topologyKey: fc.constantFrom('zone', 'host', 'a/b', ''),
      whenUnsatisfiable: fc.constantFrom('DoNotSchedule', 'ScheduleAnyway'),
      labelSelector: fc.option(labelSelectors, { nil: undefined }),
      matchLabelKeys: maybe<readonly string[]>([], ['a'], ['z', 'z'], ['-']),
    }),
  ).map((topologySpreadConstraints) => ({ topologySpreadConstraints })),
  'host aliases': listsOf(
    object({
      ip: fc.constantFrom('10.0.0.1', '::1', '010.0.0.1', '10.0.0', '::ffff:1.2.3.4', '', 'fe80::1%eth0'),
      hostnames: maybe<readonly string[]>([], ['a'], ['a.b'], ['A'], ['*.a']),
    }),
  ).map((hostAliases) => ({ hostAliases })),
  dns: object({
    nameservers: maybe<readonly string[]>(
      [],
      ['10.0.0.1'],
      ['::1'],
      ['a'],
      ['1.1.1.1', '1.1.1.2', '1.1.1.3', '1.1.1.4'],
      ['01.1.1.1'],
    ),
    searches: maybe<readonly string[]>([], ['a.b'], ['.'], ['a.'], ['_a.b'], ['A'], ['a b']),
    options: maybe<readonly object[]>([], [{ name: 'ndots' }], [{ value: 'a' }], [{ name: 'a', value: '' }]),
  }).map((dnsConfig) => ({ dnsConfig })),
  'network peers': object({
    ipBlock: maybe<object>(
      { cidr: '10.0.0.0/8' },
      { cidr: '10.0.0.1/8' },
      { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] },
      { cidr: '10.0.0.0/8', except: ['11.0.0.0/16'] },
      { cidr: 'fd00::/8' },
      { cidr: '10.0.0.0/8', except: ['10.0.0.0/8'] },
      { cidr: '' },
    ),
    podSelector: fc.option(labelSelectors, { nil: undefined }),
    namespaceSelector: maybe<object>({}, { matchLabels: { a: 'b' } }),
  }).map((peer) => ({ networkPolicy: { enabled: true, policyTypes: ['Egress'], egress: [{ to: [peer] }] } })),
  'network ports': object({
    port: maybe<unknown>(0, 1, 80, 65535, 65536, 'http', 'HTTP', '80', 'a'.repeat(16), ''),
    endPort: maybe(80, 1, 90, 65536),
    protocol: maybe('TCP', 'UDP', 'SCTP'),
  }).map((port) => ({ networkPolicy: { enabled: true, policyTypes: ['Ingress'], ingress: [{ ports: [port] }] } })),
  'network policy': object({
    enabled: fc.constantFrom(true, true, false),
    policyTypes: maybe<readonly string[]>([], ['Ingress'], ['Egress'], ['Ingress', 'Egress'], ['Ingress', 'Ingress']),
    ingress: maybe<readonly object[]>([], [{}], [{ from: [] }], [{ from: [{ podSelector: {} }] }]),
    egress: maybe<readonly object[]>([], [{}], [{ to: [] }]),
  }).map((networkPolicy) => ({ networkPolicy })),
  'security context': object({
    runAsUser: maybe(0, 10000, -1, 2147483648),
    runAsNonRoot: maybe(true, false),
    privileged: maybe(true, false),
    allowPrivilegeEscalation: maybe(true, false),
    capabilities: maybe<object>({ add: ['SYS_ADMIN'] }, { add: ['CAP_SYS_ADMIN'] }, { drop: ['ALL'] }, {}),
    procMount: maybe('Default', 'Unmasked'),
  }).map((securityContext) => ({ securityContext })),
  profiles: object({
    type: fc.constantFrom('Localhost', 'RuntimeDefault', 'Unconfined'),
    localhostProfile: maybe('a.json', '', '/a', '../a'),
  }).chain((profile) =>
    fc.constantFrom('seccompProfile', 'appArmorProfile').map((field) => ({ podSecurityContext: { [field]: profile } })),
  ),
  sysctls: listsOf(
    object({
      name: fc.constantFrom(
        'net.core.somaxconn',
        'net/core/somaxconn',
        'kernel.shm_rmid_forced',
        'A',
        '',
        '.a',
        'a..b',
      ),
      value: fc.constantFrom('1', ''),
    }),
  ).map((sysctls) => ({ podSecurityContext: { sysctls } })),
  'volume sources': object({
    name: fc.constantFrom('v', 'data', 'dshm', 'A', 'a.b', ''),
    emptyDir: maybe<object>(
      {},
      { medium: 'Memory' },
      { medium: 'HugePages' },
      { medium: 'HugePages-2Mi' },
      { medium: 'Disk' },
      { sizeLimit: '-1' },
    ),
    secret: maybe<object>({ secretName: 'a' }, { secretName: '' }, { secretName: 'a', defaultMode: 512 }),
    configMap: maybe<object>({ name: 'a' }),
  }).map((volume) => ({ volumes: [volume] })),
  mounts: listsOf(
    object({
      name: fc.constantFrom('v', 'data', 'none'),
      mountPath: fc.constantFrom(
        '/v',
        '/opt/data',
        '/opt/data/',
        '/dev/shm',
        '/opt/data/sub',
        'relative',
        '/a:b',
        '/',
        '/v/',
      ),
      subPath: maybe('a', '/a', '../a', ''),
      subPathExpr: maybe('$(A)', 'a'),
      readOnly: maybe(true, false),
      recursiveReadOnly: maybe('Disabled', 'Enabled', 'IfPossible', 'Other'),
      mountPropagation: maybe('None', 'HostToContainer', 'Bidirectional'),
    }),
  ).map((volumeMounts) => ({ volumes: [{ name: 'v', emptyDir: {} }], volumeMounts })),
  'mounted paths': fc
    .uniqueArray(fc.constantFrom('a', 'b', 'a/b', '../a', '/a', 'c'), { minLength: 1, maxLength: 2 })
    .chain((paths) =>
      fc.constantFrom(420, 0, 511, 512, -1).map((mode) => ({
        volumes: [{ name: 'v', configMap: { name: 'a', items: paths.map((path) => ({ key: 'k', path, mode })) } }],
      })),
    ),
  bindings: fc
    .record({
      namespace: fc.constantFrom('lab', 'shared', 'other', 'A', ''),
      kind: fc.constantFrom('Role', 'ClusterRole'),
      name: fc.constantFrom('reader', 'view', 'edit', 'admin', 'system:node', 'a/b', 'a%b', '..', ''),
    })
    .map(({ namespace, ...roleRef }) => ({ rbac: { roleBindings: [{ namespace, roleRef }] } })),
  'binding twice': fc.tuple(plainText, plainText).map((names) => ({
    rbac: { roleBindings: names.map((name) => ({ namespace: 'lab', roleRef: { kind: 'Role', name } })) },
  })),
  names: fc
    .tuple(fc.constantFrom('serviceAccountName', 'priorityClassName', 'runtimeClassName'), anyText)
    .map(([field, name]) => ({ [field]: name })),
  'labels and annotations': fc
    .tuple(
      fc.constantFrom('podLabels', 'podAnnotations', 'nodeSelector'),
      fc.dictionary(
        fc.oneof(
          anyText,
          fc.constantFrom('app.kubernetes.io/name', 'hermes-gitops.dev/agent', 'beta.kubernetes.io/os'),
        ),
        anyText,
        { minKeys: 1, maxKeys: 1, noNullPrototype: true },
      ),
    )
    .map(([field, map]) => ({ [field]: map })),
  images: fc
    .tuple(
      fc.constantFrom('a', 'reg.example.net:5000/a/hermes', 'localhost/h', 'Reg/H', 'reg/h:', ''),
      fc.constantFrom('', ':v1', '::v1', ' ', '\n', `@sha256:${'a'.repeat(64)}`, `@sha256:${'a'.repeat(63)}`),
    )
    .map(([name, tag]) => ({ image: name + tag })),
  'pull secrets': listsOf(
    fc.constantFrom<unknown>('regcred', { name: 'regcred' }, { name: 'a.b' }, { name: 'A' }, {}, { name: '' }),
  ).map((imagePullSecrets) => ({ imagePullSecrets })),
  'ingress hosts': fc
    .tuple(
      fc.oneof(
        anyText,
        fc.constantFrom('agent.example.net', 'https://agent.example.net', 'agent.example.net:80', '*.*.a'),
      ),
      maybe('nginx', 'a'),
    )
    .map(([host, legacy]) => ({
      dashboard: {
        enabled: true,
        ingress: {
          enabled: true,
          ingressClassName: 'nginx',
          host,
          annotations: legacy === undefined ? {} : { 'kubernetes.io/ingress.class': legacy },
        },
      },
    })),
  claims: object({
    accessModes: fc.subarray(['ReadWriteOnce', 'ReadWriteMany', 'ReadWriteOncePod'], { minLength: 1 }),
    storageClassName: maybe('', 'fast', 'A', 'a.b'),
    volumeMode: maybe('Block', 'Filesystem'),
    volumeName: maybe('', 'disk'),
    resources: fc.constantFrom(
      { requests: { storage: '1Gi' } },
      { requests: { storage: '0' } },
      { requests: { storage: '1Gi' }, limits: { storage: '1Mi' } },
      { requests: { storage: '-1' } },
    ),
    dataSource: maybe<object>(
      { kind: 'PersistentVolumeClaim', name: 'a' },
      { kind: 'Other', name: 'a' },
      { apiGroup: 'a.b', kind: 'K', name: 'a' },
    ),
  }).map((persistentVolumeClaim) => ({ storage: { persistentVolumeClaim } })),
};

/** One group of agents for each part of Kubernetes that asks for more than its schema says. */
export function nativeGroups(): readonly Group[] {
  return Object.entries(COMBINATIONS).map(([name, specs]) => ({
    name: `native: ${name}`,
    always: [],
    any: specs.map((spec) => plainAgent(spec)),
    draws: DRAWS,
  }));
}
