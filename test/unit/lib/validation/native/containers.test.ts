import { describe, expect, it } from 'vitest';

import { NATIVE_SCHEMAS } from '../../../../../lib/api/generated/native-schemas.js';
import { NATIVE_RULES } from '../../../../../lib/validation/native/checks.js';
import { verdict, type VerdictRow } from '../../../../support/verdict.js';

const env = (variable: object): object => ({ env: [{ name: 'A', ...variable }] });
const from = (valueFrom: object): object => env({ valueFrom });
const claim = (fields: object): object => ({
  storage: {
    persistentVolumeClaim: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...fields },
  },
});
const tolerate = (fields: object): object => ({ tolerations: [fields] });
const spread = (fields: object): object => ({
  topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', ...fields }],
});
const nodes = (requirement: object): object => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [requirement] }] },
    },
  },
});
const near = (term: object): object => ({
  affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
});
const NODE =
  'affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0]';
const NEAR = 'affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]';

const native: readonly VerdictRow[] = [
  { what: 'a variable without a value', spec: env({}), want: [] },
  { what: 'a variable with an odd name', spec: { env: [{ name: 'a.b-c d' }] }, want: [] },
  { what: 'a variable name with =', spec: { env: [{ name: 'a=b' }] }, want: ['BadName env[0].name'] },
  {
    what: 'value and valueFrom',
    spec: env({ value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }),
    want: ['Exclusive env[0]'],
  },
  {
    what: 'an empty value and valueFrom',
    spec: env({ value: '', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }),
    want: [],
  },
  { what: 'valueFrom nothing', spec: from({}), want: ['Required env[0].valueFrom'] },
  {
    what: 'valueFrom two things',
    spec: from({ fieldRef: { fieldPath: 'metadata.name' }, secretKeyRef: { name: 's', key: 'k' } }),
    want: ['Exclusive env[0].valueFrom'],
  },
  {
    what: 'a Secret without a name',
    spec: from({ secretKeyRef: { key: 'k' } }),
    want: ['Required env[0].valueFrom.secretKeyRef.name'],
  },
  {
    what: 'a key that no Secret can have',
    spec: from({ secretKeyRef: { name: 's', key: 'a b' } }),
    want: ['BadName env[0].valueFrom.secretKeyRef.key'],
  },
  { what: 'an optional key', spec: from({ configMapKeyRef: { name: 's', key: 'k', optional: true } }), want: [] },
  {
    what: 'a field that is not given',
    spec: from({ fieldRef: { fieldPath: 'spec.image' } }),
    want: ['NotAllowedValue env[0].valueFrom.fieldRef.fieldPath'],
  },
  { what: 'one label', spec: from({ fieldRef: { fieldPath: "metadata.labels['a/b']" } }), want: [] },
  {
    what: 'all labels, which only volumes give',
    spec: from({ fieldRef: { fieldPath: 'metadata.labels' } }),
    want: ['NotAllowedValue env[0].valueFrom.fieldRef.fieldPath'],
  },
  {
    what: 'a resource with a divisor',
    spec: from({ resourceFieldRef: { resource: 'limits.memory', divisor: '1Mi' } }),
    want: [],
  },
  {
    what: 'a divisor that does not fit',
    spec: from({ resourceFieldRef: { resource: 'limits.cpu', divisor: '1Mi' } }),
    want: ['NotAllowedValue env[0].valueFrom.resourceFieldRef.divisor'],
  },
  {
    what: 'an unknown resource',
    spec: from({ resourceFieldRef: { resource: 'limits.gpu' } }),
    want: ['NotAllowedValue env[0].valueFrom.resourceFieldRef.resource'],
  },
  {
    what: 'an optional source of variables',
    spec: { envFrom: [{ prefix: 'T_', secretRef: { name: 'x', optional: true } }] },
    want: [],
  },
  {
    what: 'a source of variables that names none',
    spec: { envFrom: [{ prefix: 'T_' }] },
    want: ['Required envFrom[0]'],
  },
  {
    what: 'a source without a name',
    spec: { envFrom: [{ configMapRef: {} }] },
    want: ['Required envFrom[0].configMapRef.name'],
  },
  {
    what: 'variables of a gateway',
    spec: { gateways: [{ type: 'x', env: [{ name: '=' }] }] },
    want: ['BadName gateways[0].env[0].name'],
  },
  {
    what: 'variables of the dashboard',
    spec: { dashboard: { env: [{ name: '=' }] } },
    want: ['BadName dashboard.env[0].name'],
  },

  {
    what: 'requests above limits',
    spec: { resources: { requests: { cpu: '2' }, limits: { cpu: '1500m' } } },
    want: ['BadResources resources.requests.cpu'],
  },
  {
    what: 'a negative amount',
    spec: { resources: { limits: { cpu: '-1' } } },
    want: ['OutOfBounds resources.limits.cpu'],
  },
  {
    what: 'an unknown resource name',
    spec: { resources: { limits: { gpu: 1 } } },
    want: ['BadResources resources.limits.gpu'],
  },
  { what: 'a device', spec: { resources: { limits: { 'nvidia.com/gpu': 1 } } }, want: [] },
  {
    what: 'a device without a limit',
    spec: { resources: { requests: { 'nvidia.com/gpu': 1 } } },
    want: ['BadResources resources.requests["nvidia.com/gpu"]'],
  },
  {
    what: 'half a device',
    spec: { resources: { limits: { 'nvidia.com/gpu': '500m' } } },
    want: ['OutOfBounds resources.limits["nvidia.com/gpu"]'],
  },
  {
    what: 'huge pages alone',
    spec: { resources: { limits: { 'hugepages-2Mi': '4Mi' } } },
    want: ['BadResources resources'],
  },
  {
    what: 'resource claims',
    spec: { resources: { claims: [{ name: 'x' }] } },
    want: ['NotSupported resources.claims'],
  },

  {
    what: 'a claim of nothing',
    spec: claim({ resources: { requests: { storage: '0' } } }),
    want: ['OutOfBounds storage.persistentVolumeClaim.resources.requests.storage'],
  },
  {
    what: 'an unknown access mode',
    spec: claim({ accessModes: ['RWO'] }),
    want: ['NotAllowedValue storage.persistentVolumeClaim.accessModes[0]'],
  },
  {
    what: 'ReadWriteOncePod beside another',
    spec: claim({ accessModes: ['ReadWriteOncePod', 'ReadWriteOnce'] }),
    want: ['Exclusive storage.persistentVolumeClaim.accessModes'],
  },
  {
    what: 'a bad class',
    spec: claim({ storageClassName: 'A b' }),
    want: ['BadName storage.persistentVolumeClaim.storageClassName'],
  },
  { what: 'no class on purpose', spec: claim({ storageClassName: '' }), want: [] },
  {
    what: 'an unknown volume mode',
    spec: claim({ volumeMode: 'block' }),
    want: ['NotAllowedValue storage.persistentVolumeClaim.volumeMode'],
  },

  { what: 'a toleration of all', spec: tolerate({ operator: 'Exists' }), want: [] },
  { what: 'a toleration of nothing', spec: tolerate({}), want: ['BadToleration tolerations[0].operator'] },
  {
    what: 'seconds without NoExecute',
    spec: tolerate({ key: 'a', tolerationSeconds: 3 }),
    want: ['BadToleration tolerations[0].effect'],
  },
  {
    what: 'a value beside Exists',
    spec: tolerate({ key: 'a', operator: 'Exists', value: 'x' }),
    want: ['BadToleration tolerations[0].value'],
  },
  {
    what: 'an unknown operator',
    spec: tolerate({ key: 'a', operator: 'Exist' }),
    want: ['NotAllowedValue tolerations[0].operator'],
  },
  {
    what: 'an unknown effect',
    spec: tolerate({ key: 'a', effect: 'NoExec' }),
    want: ['NotAllowedValue tolerations[0].effect'],
  },
  {
    what: 'a skew of 0',
    spec: spread({ maxSkew: 0 }),
    want: [
      'OutOfBounds topologySpreadConstraints[0].maxSkew',
      '! MatchesNothing topologySpreadConstraints[0].labelSelector',
    ],
  },
  {
    what: 'minDomains that may be missed',
    spec: spread({ minDomains: 2, whenUnsatisfiable: 'ScheduleAnyway' }),
    want: [
      'BadSpread topologySpreadConstraints[0].minDomains',
      '! MatchesNothing topologySpreadConstraints[0].labelSelector',
    ],
  },
  {
    what: 'label keys without a selector',
    spec: spread({ matchLabelKeys: ['a'] }),
    want: [
      'BadSpread topologySpreadConstraints[0].matchLabelKeys',
      '! MatchesNothing topologySpreadConstraints[0].labelSelector',
    ],
  },
  { what: 'a node requirement', spec: nodes({ key: 'a', operator: 'In', values: ['b'] }), want: [] },
  { what: 'In without values', spec: nodes({ key: 'a', operator: 'In' }), want: [`BadSelector ${NODE}.values`] },
  {
    what: 'Exists with values',
    spec: nodes({ key: 'a', operator: 'Exists', values: ['b'] }),
    want: [`BadSelector ${NODE}.values`],
  },
  {
    what: 'Gt with two values',
    spec: nodes({ key: 'a', operator: 'Gt', values: ['1', '2'] }),
    want: [`BadSelector ${NODE}.values`],
  },
  {
    what: 'an operator in lower case',
    spec: nodes({ key: 'a', operator: 'in', values: ['b'] }),
    want: [`NotAllowedValue ${NODE}.operator`],
  },
  {
    what: 'a value that is no label value',
    spec: nodes({ key: 'a', operator: 'In', values: ['b c'] }),
    want: [`BadName ${NODE}.values[0]`],
  },
  {
    what: 'no node terms',
    spec: { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } } },
    want: ['Required affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms'],
  },
  {
    what: 'a weight of 0',
    spec: {
      affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 0, preference: {} }] } },
    },
    want: ['OutOfBounds affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight'],
  },
  { what: 'pods of a topology', spec: near({ topologyKey: 'zone', labelSelector: {} }), want: [] },
  {
    what: 'pods without a topology',
    spec: near({ topologyKey: '' }),
    want: [`Required ${NEAR}.topologyKey`, `! MatchesNothing ${NEAR}.labelSelector`],
  },
  {
    what: 'pods of a namespace that is none',
    spec: near({ topologyKey: 'z', namespaces: ['A'] }),
    want: [`BadName ${NEAR}.namespaces[0]`, `! MatchesNothing ${NEAR}.labelSelector`],
  },
  {
    what: 'a selector with a bad value',
    spec: near({ topologyKey: 'z', labelSelector: { matchLabels: { a: 'b c' } } }),
    want: [`BadName ${NEAR}.labelSelector.matchLabels.a`],
  },
];

describe('variables, resources and scheduling', () => {
  it.each(native)('$what', ({ spec, want }) => {
    expect(verdict(spec)).toEqual(want);
  });

  it('are ruled by the names that the schema knows', () => {
    expect(Object.keys(NATIVE_RULES).filter((name) => !(name in NATIVE_SCHEMAS))).toEqual([]);
  });
});
