import fc from 'fast-check';

import { labelSelectors, listsOf, maybe, object } from './combining.js';
import { anyText, plainText } from './strings.js';

/** Network, security, volumes and names: values that fit together and values that do not, as parts of a spec. */
export const POD_COMBINATIONS: Readonly<Record<string, fc.Arbitrary<object>>> = {
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
