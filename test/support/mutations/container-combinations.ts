import fc from 'fast-check';

import { labelSelectors, listsOf, maybe, object } from './combining.js';
import { anyText, plainText } from './strings.js';

const amounts = maybe('1', '2', '500m', '1Gi', '1.5Gi', '0', '-1', '0.5m');

/** Variables, resources and scheduling: values that fit together and values that do not, as parts of a spec. */
export const CONTAINER_COMBINATIONS: Readonly<Record<string, fc.Arbitrary<object>>> = {
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
  weights: fc.oneof(fc.constantFrom(0, 1, 100, 101, -1), fc.integer({ min: 2, max: 110 })).map((weight) => ({
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
};
