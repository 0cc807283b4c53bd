import { describe, expect, it } from 'vitest';

import { readDocuments } from '../../../../lib/input/documents.js';
import { formatPath, type Problem } from '../../../../lib/validation/problem.js';
import { validateAgent, validateDocument, validateStoredSpec } from '../../../../lib/validation/validate-agent.js';

const options = { allowedClusterRoles: ['view'], allowedBindingNamespaces: ['shared'] };
const storage = { existingClaimName: 'old' };
const image = 'registry.example.net/hermes:v1';

const agentWith = (spec: object, metadata: object = {}): object => ({
  apiVersion: 'hermes-gitops.dev/v1alpha1',
  kind: 'HermesAgent',
  metadata: { name: 'mina', namespace: 'lab', ...metadata },
  spec: { image, storage, ...spec },
});

const brief = ({ rule, path, hint }: Problem): string => `${rule} ${formatPath(path)} → ${hint}`;
const problemsOf = (value: unknown): string[] => validateAgent(value, options).problems.map(brief);

/** A spec as text, read and validated: positions and the words of the file included. */
function fromText(
  spec: string,
  head = 'apiVersion: hermes-gitops.dev/v1alpha1\nkind: HermesAgent\n',
): readonly Problem[] {
  const text = `${head}metadata: {name: mina, namespace: lab}\nspec:\n  image: ${image}\n  storage: {existingClaimName: old}\n  ${spec}\n`;
  const { documents, problems } = readDocuments(new TextEncoder().encode(text), 'a.yaml');
  return [...problems, ...documents.flatMap((document) => validateDocument(document, options).problems)];
}

describe('a valid agent', () => {
  it('comes back canonical as an object and complete as a spec', () => {
    const written = agentWith(
      { env: [], suspend: null, resources: { requests: { cpu: '0.5' } }, dashboard: {} },
      { labels: { team: 'x' }, annotations: {}, creationTimestamp: null, uid: 'u' },
    );
    const { agent, problems } = validateAgent({ ...written, status: { phase: 'Ready' } }, options);
    expect(problems).toEqual([]);
    expect(agent?.object).toEqual({
      apiVersion: 'hermes-gitops.dev/v1alpha1',
      kind: 'HermesAgent',
      metadata: { name: 'mina', namespace: 'lab', labels: { team: 'x' } },
      spec: { image, storage, resources: { requests: { cpu: '500m' } } },
    });
    expect(agent?.spec).toEqual({
      image,
      storage: { ...storage, retainPolicy: 'Retain' },
      resources: { requests: { cpu: '500m' } },
      imagePullPolicy: 'IfNotPresent',
      suspend: false,
      terminationGracePeriodSeconds: 210,
      execBackend: 'local',
    });
    expect(agent?.digest).toMatch(/^v1:[0-9a-f]{64}$/);
  });

  it('takes the default namespace when it names none', () => {
    const value = agentWith({}, { namespace: undefined });
    expect(validateAgent(value, { ...options, defaultNamespace: 'there' }).agent?.object.metadata.namespace).toBe(
      'there',
    );
    expect(problemsOf(value)).toEqual(['Required metadata.namespace → add metadata.namespace']);
  });

  it('is read from the former group, which is said', () => {
    const value = { ...agentWith({}), apiVersion: 'hermes.k8s.undermountain.cc/v1alpha1' };
    const { agent, problems } = validateAgent(value, options);
    expect(agent?.object.apiVersion).toBe('hermes-gitops.dev/v1alpha1');
    expect(problems).toEqual([
      {
        severity: 'warning',
        rule: 'FormerGroup',
        path: ['apiVersion'],
        message: 'is read as hermes-gitops.dev/v1alpha1',
        hint: 'write hermes-gitops.dev/v1alpha1',
      },
    ]);
  });
});

describe('the envelope', () => {
  it.each([
    [
      'an unknown version',
      { ...agentWith({}), apiVersion: 'hermes-gitops.dev/v2' },
      'UnknownVersion apiVersion → write hermes-gitops.dev/v1alpha1',
    ],
    [
      'no group',
      { ...agentWith({}), apiVersion: 'v1' },
      'UnknownVersion apiVersion → write hermes-gitops.dev/v1alpha1',
    ],
    ['another kind', { ...agentWith({}), kind: 'Agent' }, 'UnknownKind kind → write HermesAgent'],
    ['an unknown field beside spec', { ...agentWith({}), specs: 1 }, 'UnknownField specs → did you mean spec?'],
    ['no spec', { ...agentWith({}), spec: null }, 'Required spec → add spec: with image and storage'],
    [
      'no metadata',
      { ...agentWith({}), metadata: undefined },
      'Required metadata → add metadata: {name: …, namespace: …}',
    ],
    [
      'a generated name',
      agentWith({}, { generateName: 'x-' }),
      'NotSupported metadata.generateName → write metadata.name',
    ],
    [
      'a misspelt field of metadata',
      agentWith({}, { lables: {} }),
      'UnknownField metadata.lables → did you mean labels?',
    ],
    [
      'a namespace that is none',
      agentWith({}, { namespace: 'Lab' }),
      'BadName metadata.namespace → write the name of a namespace',
    ],
    [
      'a label without quotes',
      agentWith({}, { labels: { on: true } }),
      'QuotedValue metadata.labels.on → write "true"',
    ],
    [
      'a bad label',
      agentWith({}, { labels: { 'a b': 'x' } }),
      'BadName metadata.labels["a b"] → write name or prefix/name',
    ],
    [
      'too many bytes of annotations',
      agentWith({}, { annotations: { a: 'x'.repeat(262_144) } }),
      'TooLong metadata.annotations → move large values to a ConfigMap',
    ],
  ])('refuses %s', (_what, value, want) => {
    expect(problemsOf(value)).toEqual([want]);
    expect(validateAgent(value, options).agent).toBeUndefined();
  });

  it.each([
    ['46 characters', 'a'.repeat(46), []],
    ['a digit first', '7up', []],
    [
      '47 characters',
      'a'.repeat(47),
      [`Rule metadata.name → shorten it: hermes-${'a'.repeat(47)}-dashboard has 64 characters, and 63 is the limit`],
    ],
    ['upper case', 'Bot', ['Rule metadata.name → write bot']],
    ['a dot', 'bot.v2', ['Rule metadata.name → write bot-v2']],
    ['the name of a dashboard', 'x-dashboard', ['Rule metadata.name → choose another name']],
    ['the name of a run', 'run-x', ['Rule metadata.name → choose another name']],
  ])('judges a name of %s', (_what, name, want) => {
    expect(problemsOf(agentWith({}, { name }))).toEqual(want);
  });
});

describe('the schema', () => {
  it.each([
    ['an unknown field', { enviroment: [] }, 'UnknownField spec.enviroment → did you mean env?'],
    ['a missing image', { image: undefined }, 'Required spec.image → add image: …'],
    ['an empty image', { image: '' }, 'OutOfBounds spec.image → write a value, or leave the field out'],
    [
      'names instead of references',
      { imagePullSecrets: ['regcred'] },
      'WrongType spec.imagePullSecrets[0] → write {name: regcred}',
    ],
    [
      'a word of another case',
      { imagePullPolicy: 'always' },
      'NotAllowedValue spec.imagePullPolicy → did you mean Always?',
    ],
    ['a boolean in quotes', { suspend: 'yes' }, 'WrongType spec.suspend → write true or false, without quotes'],
    [
      'a number in quotes',
      { terminationGracePeriodSeconds: '60' },
      'WrongType spec.terminationGracePeriodSeconds → write 60, without quotes',
    ],
    [
      'a number below its bound',
      { terminationGracePeriodSeconds: 30 },
      'OutOfBounds spec.terminationGracePeriodSeconds → write 31 or more',
    ],
    [
      'a number that no integer holds',
      { tolerations: [{ key: 'a', effect: 'NoExecute', tolerationSeconds: 1e300 }] },
      'BadFormat spec.tolerations[0].tolerationSeconds → write a smaller number',
    ],
    ['a map instead of a list', { gateways: { a: 1 } }, 'WrongType spec.gateways → write a list, each item after "- "'],
    [
      'a bare decimal',
      { resources: { requests: { cpu: 0.5 } } },
      'QuantityForm spec.resources.requests.cpu → write "500m"',
    ],
    [
      'a blank in a quantity',
      { resources: { limits: { memory: '1 Gi' } } },
      'QuantityForm spec.resources.limits.memory → write 1Gi',
    ],
    [
      'bytes in a quantity',
      { resources: { limits: { memory: '1GB' } } },
      'QuantityForm spec.resources.limits.memory → write 1G',
    ],
    [
      'two variables of one name',
      { env: [{ name: 'A' }, { name: 'B' }, { name: 'A' }] },
      'DuplicateItem spec.env[2] → remove one of the two',
    ],
    [
      'two mounts of one path',
      {
        volumeMounts: [
          { name: 'data', mountPath: '/a' },
          { name: 'data', mountPath: '/a' },
        ],
      },
      'DuplicateItem spec.volumeMounts[1] → remove one of the two',
    ],
    [
      'too many items',
      { imagePullSecrets: Array.from({ length: 33 }, (_, i) => ({ name: `s${i}` })) },
      'OutOfBounds spec.imagePullSecrets → remove some',
    ],
    [
      'a typing error deep inside',
      {
        affinity: {
          nodeAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: { matchExpresions: [] } }],
          },
        },
      },
      'UnknownField spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpresions → did you mean matchExpressions?',
    ],
  ])('refuses %s', (_what, spec, want) => {
    expect(problemsOf(agentWith(spec))).toEqual([want]);
  });

  it('reports every mistake at once', () => {
    const spec = {
      nodeSelector: { gpu: true, zone: 2 },
      tolerations: [{ key: 'a', value: true, tolerationSeconds: '30' }],
      env: [{ name: 'a=b' }],
    };
    expect(problemsOf(agentWith(spec, { name: 'Bot' })).sort()).toEqual([
      'BadName spec.env[0].name → write another value',
      'QuotedValue spec.nodeSelector.gpu → write "true"',
      'QuotedValue spec.nodeSelector.zone → write "2"',
      'QuotedValue spec.tolerations[0].value → write "true"',
      'Rule metadata.name → write bot',
      'WrongType spec.tolerations[0].tolerationSeconds → write 30, without quotes',
    ]);
  });
});

describe('checks beyond the schema', () => {
  it('run although a rule of the whole spec fails', () => {
    const spec = { llmDefaultProvider: 'x', env: [{ name: '=' }], image: 'A B' };
    expect(problemsOf(agentWith(spec)).map((problem) => problem.split(' → ')[0])).toEqual([
      'Rule spec',
      'BadName spec.env[0].name',
      'ImageSyntax spec.image',
    ]);
  });
});

describe('the rules of the CRD', () => {
  const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };

  it.each([
    ['no volume', { storage: {} }, ['Rule spec.storage']],
    ['an empty claim and nothing else', { storage: { persistentVolumeClaim: {} } }, ['Rule spec.storage']],
    ['two volumes', { storage: { ...storage, persistentVolumeClaim: claim } }, ['Rule spec.storage']],
    ['a claim and an empty name', { storage: { existingClaimName: '', persistentVolumeClaim: claim } }, []],
    ['an existing claim and an empty one', { storage: { ...storage, persistentVolumeClaim: {} } }, []],
    [
      'a claim without modes',
      { storage: { persistentVolumeClaim: { resources: claim.resources } } },
      ['Required spec.storage.persistentVolumeClaim'],
    ],
    ['a claim with a null class', { storage: { persistentVolumeClaim: { ...claim, storageClassName: null } } }, []],
    ['an unknown provider', { llmDefaultProvider: 'x', llmProviders: [{ name: 'y' }] }, ['Rule spec']],
    ['a known provider', { llmDefaultProvider: 'y', llmProviders: [{ name: 'y' }] }, []],
    ['no provider', { llmDefaultProvider: '' }, []],
    [
      'an ingress without host and class',
      {
        dashboard: {
          enabled: true,
          env: [{ name: 'HERMES_DASHBOARD_BASIC_AUTH_PASSWORD' }],
          ingress: { enabled: true, annotations: { 'x.io/auth-url': 'y' } },
        },
      },
      ['Required spec.dashboard.ingress', 'Required spec.dashboard.ingress'],
    ],
  ])('judge %s', (_what, spec, want) => {
    expect(
      validateAgent(agentWith(spec), options).problems.map(({ rule, path }) => `${rule} ${formatPath(path)}`),
    ).toEqual(want);
  });
});

describe('a document', () => {
  it.each([
    ['8080', 'QuotedValue', 'write "8080"'],
    ['true', 'QuotedValue', 'write "true"'],
    ['null', 'QuotedValue', 'write "null"'],
    ['~', 'QuotedValue', 'write "~"'],
    ['1.10', 'QuotedValue', 'write "1.10"'],
    ['1e3', 'QuotedValue', 'write "1e3"'],
    ['0x1F', 'QuotedValue', 'write "0x1F"'],
    ['0123', 'AmbiguousScalar', 'write "0123"'],
    ['123456789012345678', 'AmbiguousScalar', 'write "123456789012345678"'],
    ['NO', 'AmbiguousScalar', 'write "NO", or false where a boolean is meant'],
  ])('with the value %s says once what to write, and where', (source, rule, hint) => {
    const problems = fromText(`env: [{name: V, value: ${source}}]`);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({
      severity: 'error',
      rule,
      hint,
      path: ['spec', 'env', 0, 'value'],
      position: { file: 'a.yaml', line: 7, column: 26 },
    });
  });

  it.each(['"0123"', "'y'", '""', '12:30:45', 'text'])('takes the value %s', (source) => {
    expect(fromText(`env: [{name: V, value: ${source}}]`)).toEqual([]);
  });

  it.each([
    ['nodeSelector: {gpu: ~}', 'spec.nodeSelector.gpu', 'write "~"'],
    ['podLabels: {a: }', 'spec.podLabels.a', 'write ""'],
    ['podAnnotations: {a: 1.10}', 'spec.podAnnotations.a', 'write "1.10"'],
  ])('with %s names the text to write', (spec, path, hint) => {
    expect(fromText(spec).map((problem) => [formatPath(problem.path), problem.hint])).toEqual([[path, hint]]);
  });

  it('puts an unknown field where its key is', () => {
    expect(fromText('enviroment:\n    - a')[0]?.position).toEqual({ file: 'a.yaml', line: 7, column: 3 });
  });

  it('is no agent when its text is in doubt', () => {
    const text = `apiVersion: hermes-gitops.dev/v1alpha1\nkind: HermesAgent\nmetadata: {name: mina, namespace: lab}\nspec: {image: ${image}, storage: {existingClaimName: y}}\n`;
    const [document] = readDocuments(new TextEncoder().encode(text), 'a.yaml').documents;
    expect(document && validateDocument(document, options).agent).toBeUndefined();
  });
});

describe('validateStoredSpec', () => {
  const live = {
    ...agentWith({}),
    metadata: { name: 'mina', namespace: 'lab', uid: 'u', managedFields: [], finalizers: ['x'] },
    status: {},
  };

  it('accepts what the API server stores, metadata of its own included', () => {
    expect(validateStoredSpec(live)).toEqual([]);
  });

  it.each([
    ['a spec that is null', { ...live, spec: null }, ['Required']],
    ['no object at all', null, ['Required']],
    ['a spec past the schema', { ...live, spec: { image: 1, storage } }, ['QuotedValue']],
    ['a spec past the rules', { ...live, spec: { image, storage: {} } }, ['Rule']],
  ])('refuses %s', (_what, object, want) => {
    expect(validateStoredSpec(object).map(({ rule }) => rule)).toEqual(want);
  });

  it('leaves the stricter rules to rendering', () => {
    const rbac = { clusterRoleBindings: [{ roleRef: { kind: 'ClusterRole', name: 'cluster-admin' } }] };
    expect(validateStoredSpec({ ...live, spec: { image: 'Not An Image', storage, rbac } })).toEqual([]);
  });
});
