import { createHash } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import { applyDefaults } from '../../../../lib/api/defaults.js';
import { specDigest } from '../../../../lib/api/digest.js';
import { mapSubschemas, type JsonSchema } from '../../../../lib/api/json-schema.js';
import { normalizeSpec } from '../../../../lib/api/normalize.js';
import { AGENT_SPEC_SCHEMA } from '../../../../lib/api/schema-access.js';

const image = 'registry.example.net/hermes:v1';
const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
const base = { image, storage: { persistentVolumeClaim: claim } };

interface Row {
  readonly what: string;
  readonly written: object;
  readonly want: object;
}

const rows: readonly Row[] = [
  { what: 'nulls', written: { env: null, storage: { retainPolicy: null } }, want: { storage: {} } },
  {
    what: 'empty lists',
    written: { env: [], gateways: [{ type: 'x', env: [] }] },
    want: { gateways: [{ type: 'x' }] },
  },
  { what: 'empty maps', written: { podLabels: {}, nodeSelector: {}, dashboard: { service: {} } }, want: {} },
  {
    what: 'empty native objects that mean nothing',
    written: { affinity: { nodeAffinity: {} }, resources: {}, securityContext: { capabilities: {} } },
    want: {},
  },
  { what: 'emptied parents', written: { resources: { requests: {}, limits: null } }, want: {} },
  {
    what: 'an empty claim',
    written: { storage: { existingClaimName: 'old', persistentVolumeClaim: {} } },
    want: { storage: { existingClaimName: 'old' } },
  },
  {
    what: 'no storage class on purpose',
    written: { storage: { persistentVolumeClaim: { ...claim, storageClassName: '' } } },
    want: { storage: { persistentVolumeClaim: { ...claim, storageClassName: '' } } },
  },
  {
    what: 'an emptyDir',
    written: { volumes: [{ name: 'x', emptyDir: {} }] },
    want: { volumes: [{ name: 'x', emptyDir: {} }] },
  },
  {
    what: 'selectors that select all',
    written: {
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: 'z', whenUnsatisfiable: 'DoNotSchedule', labelSelector: {} },
      ],
    },
    want: {
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: 'z', whenUnsatisfiable: 'DoNotSchedule', labelSelector: {} },
      ],
    },
  },
  {
    what: 'everything empty in a network policy',
    written: {
      networkPolicy: {
        enabled: true,
        ingress: [{}, { from: [] }, { from: [{ podSelector: {} }] }],
        egress: [],
        policyTypes: ['Egress'],
      },
    },
    want: {
      networkPolicy: {
        enabled: true,
        ingress: [{}, { from: [] }, { from: [{ podSelector: {} }] }],
        egress: [],
        policyTypes: ['Egress'],
      },
    },
  },
  { what: 'a network policy without a word', written: { networkPolicy: {} }, want: {} },
  {
    what: 'quantities of containers, claims and volumes',
    written: {
      resources: {
        requests: { cpu: 1, memory: '1024Mi' },
        limits: { cpu: '1000m', memory: '1.5Gi', 'example.com/gpu': '0.0001m' },
      },
      volumes: [{ name: 'x', emptyDir: { sizeLimit: '0.1m' } }],
    },
    want: {
      resources: {
        requests: { cpu: '1', memory: '1Gi' },
        limits: { cpu: '1', memory: '1536Mi', 'example.com/gpu': '1m' },
      },
      volumes: [{ name: 'x', emptyDir: { sizeLimit: '100u' } }],
    },
  },
  {
    what: 'text that looks like a quantity',
    written: { env: [{ name: 'A', value: '1024Mi' }] },
    want: { env: [{ name: 'A', value: '1024Mi' }] },
  },
  {
    what: 'keys that name parts of every object',
    written: JSON.parse('{"podLabels":{"__proto__":"x","constructor":"y"}}') as object,
    want: JSON.parse('{"podLabels":{"__proto__":"x","constructor":"y"}}') as object,
  },
];

describe('normalizeSpec', () => {
  it.each(rows)('settles $what', ({ written, want }) => {
    const once = normalizeSpec(written);
    expect(JSON.stringify(once)).toBe(JSON.stringify(want));
    expect(normalizeSpec(once)).toEqual(once);
  });

  it('leaves its argument alone', () => {
    const written = { ...base, env: [], resources: { requests: { cpu: '0.5' } } };
    const before = structuredClone(written);
    normalizeSpec(written);
    expect(written).toEqual(before);
  });
});

describe('applyDefaults', () => {
  it('fills in what is absent or null, below objects that are there', () => {
    expect(applyDefaults({ ...base, suspend: null, dashboard: { ingress: {} } })).toEqual({
      image,
      storage: { persistentVolumeClaim: claim, retainPolicy: 'Retain' },
      imagePullPolicy: 'IfNotPresent',
      suspend: false,
      terminationGracePeriodSeconds: 210,
      execBackend: 'local',
      dashboard: { enabled: false, ingress: { enabled: false } },
    });
  });

  it('keeps a null of an unknown field, which validation then names', () => {
    expect(applyDefaults({ imagee: null })).toMatchObject({ imagee: null });
  });
});

describe('specDigest', () => {
  const digest = specDigest(base);

  it('is v1 and the SHA-256 of the canonical JSON', () => {
    const canonical =
      '{"image":"registry.example.net/hermes:v1","storage":{"persistentVolumeClaim":' +
      '{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}}';
    expect(digest).toBe(`v1:${createHash('sha256').update(canonical).digest('hex')}`);
  });

  it.each([
    ['defaults filled in', applyDefaults(base)],
    ['another order of keys', { storage: { persistentVolumeClaim: claim }, image }],
    ['empty maps and lists', { ...base, env: [], podLabels: {}, dashboard: {}, networkPolicy: { enabled: false } }],
    [
      'another spelling of a quantity',
      { image, storage: { persistentVolumeClaim: { ...claim, resources: { requests: { storage: '1024Mi' } } } } },
    ],
    ['nulls', { ...base, affinity: null }],
  ])('is the same with %s', (_what, spec) => {
    expect(specDigest(spec)).toBe(digest);
  });

  it.each([
    ['the image', { ...base, image: 'registry.example.net/hermes:v2' }],
    ['a value that is no default', { ...base, suspend: true }],
    ['the order of variables', { ...base, env: [{ name: 'A' }, { name: 'B' }] }],
    [
      'an empty list that means something',
      { ...base, networkPolicy: { enabled: true, policyTypes: ['Egress'], egress: [] } },
    ],
  ])('differs in %s', (_what, spec) => {
    expect(specDigest(spec)).not.toBe(digest);
  });

  it('survives a schema that learns new defaults', () => {
    const newer: JsonSchema = withField(AGENT_SPEC_SCHEMA, 'dashboard', (dashboard) =>
      withField({ ...dashboard }, 'theme', () => ({ type: 'string', default: 'dark' })),
    );
    const newest = withField(newer, 'backup', () => ({
      type: 'object',
      default: { every: '1h' },
      properties: { every: { type: 'string', default: '1h' } },
    }));
    for (const spec of [base, { ...base, dashboard: { enabled: true } }, { ...base, dashboard: {} }]) {
      const live = applyDefaults(spec, newest);
      expect(live).toMatchObject({ backup: { every: '1h' } });
      expect(specDigest(live, newest)).toBe(specDigest(spec));
    }
  });
});

function withField(schema: JsonSchema, name: string, change: (sub: JsonSchema) => JsonSchema): JsonSchema {
  const copy = mapSubschemas(schema, (sub) => sub);
  return { ...copy, properties: { ...copy.properties, [name]: change(copy.properties?.[name] ?? {}) } };
}
