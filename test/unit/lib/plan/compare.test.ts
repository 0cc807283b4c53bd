import { describe, expect, it } from 'vitest';
import { comparePlan, type PlannedObject } from '../../../../lib/plan/compare.js';

const labels = { 'hermes-gitops.dev/agent': 'mia' };

function deployment(spec: Record<string, unknown>): PlannedObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'hermes-mia', namespace: 'lab', labels },
    spec,
  };
}

function claim(spec: Record<string, unknown>): PlannedObject {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'hermes-mia-data', namespace: 'lab', labels },
    spec,
  };
}

function template(image: string, env: readonly { name: string; value: string }[] = []): unknown {
  return { spec: { containers: [{ name: 'hermes', image, env }] } };
}

const KEPT = { 'kustomize.toolkit.fluxcd.io/prune': 'disabled' };

const upWith = (image: string, env: readonly { name: string; value: string }[] = []): PlannedObject =>
  deployment({ replicas: 1, template: template(image, env) });

const size = (storage: string): PlannedObject => claim({ resources: { requests: { storage } } });

describe('comparePlan', () => {
  it('is empty when nothing differs', () => {
    const plan = comparePlan([upWith('a'), size('1Gi')], [size('1Gi'), upWith('a')]);
    expect(plan).toEqual({ created: [], changed: [], deleted: [], kept: [], restarts: [], refused: [] });
  });

  it('names what is created and what is deleted, sorted by namespace and kind', () => {
    const plan = comparePlan([size('1Gi')], [upWith('a')]);
    expect(plan.created).toEqual([{ group: 'apps', kind: 'Deployment', namespace: 'lab', name: 'hermes-mia' }]);
    expect(plan.deleted).toEqual([
      { group: '', kind: 'PersistentVolumeClaim', namespace: 'lab', name: 'hermes-mia-data' },
    ]);
  });

  it('creates and starts nothing that is refused for sure', () => {
    const object = { group: 'apps', kind: 'Deployment', namespace: 'lab', name: 'hermes-mia' };
    const planned = (certain: boolean): string[] => {
      const refused = [{ object, path: '', message: 'is forbidden', certain }];
      const { created, restarts } = comparePlan([], [upWith('a')], { refused });
      return [...created.map(({ kind }) => kind), ...restarts.map(({ effect }) => effect)];
    };
    expect([planned(true), planned(false)]).toEqual([[], ['Deployment', 'start']]);
  });

  it('finds one inserted variable, not all that follow it', () => {
    const env = [{ name: 'B', value: '2' }];
    const plan = comparePlan([upWith('a', env)], [upWith('a', [{ name: 'A', value: '1' }, ...env])]);
    expect(plan.changed[0]?.differences).toEqual([
      {
        path: 'spec.template.spec.containers[hermes].env[A]',
        before: undefined,
        after: { name: 'A', value: '1' },
      },
    ]);
    expect(plan.restarts.map(({ effect, agent }) => `${effect} ${agent}`)).toEqual(['restart mia']);
  });

  it('takes another order of variables for another template', () => {
    const env = ['A', 'B', 'C', 'D'].map((name) => ({ name, value: '1' }));
    const [a, b, c, d] = env as [(typeof env)[0], (typeof env)[0], (typeof env)[0], (typeof env)[0]];
    const plan = comparePlan([upWith('a', [a, b, c, d])], [upWith('a', [a, c, b, d])]);
    expect(plan.restarts).toEqual([
      {
        namespace: 'lab',
        agent: 'mia',
        effect: 'restart',
        reason: 'template',
        because: [{ path: 'spec.containers[hermes].env', before: ['B', 'C'], after: ['C', 'B'] }],
      },
    ]);
  });

  it('knows agents that appear, that go, and claims that stay', () => {
    const kept = { ...size('1Gi'), metadata: { ...size('1Gi').metadata, annotations: KEPT } };
    const gone = comparePlan([upWith('a'), kept], []);
    expect([gone.restarts, gone.deleted.map(({ kind }) => kind), gone.kept.map(({ kind }) => kind)]).toEqual([
      [{ namespace: 'lab', agent: 'mia', effect: 'stop', reason: 'deleted', because: [] }],
      ['Deployment'],
      ['PersistentVolumeClaim'],
    ]);
    const fresh = comparePlan([], [upWith('a')]);
    expect(fresh.restarts.map(({ effect, reason }) => `${effect} ${reason}`)).toEqual(['start created']);
    expect(comparePlan([], [deployment({ replicas: 0 })]).restarts).toEqual([]);
  });

  it('restarts nothing for a Deployment that is refused', () => {
    const [before, after] = [upWith('a'), upWith('b')].map((object, index) => ({
      ...object,
      spec: { ...(object.spec as object), selector: { matchLabels: { a: String(index) } } },
    }));
    const plan = comparePlan(before === undefined ? [] : [before], after === undefined ? [] : [after]);
    expect([plan.refused.length, plan.restarts]).toEqual([1, []]);
  });

  it.each([
    { change: 'another image', before: 1, after: 1, images: ['a', 'b'], want: ['restart'] },
    { change: 'suspended', before: 1, after: 0, images: ['a', 'a'], want: ['stop'] },
    { change: 'resumed', before: 0, after: 1, images: ['a', 'b'], want: ['start'] },
    { change: 'another image while suspended', before: 0, after: 0, images: ['a', 'b'], want: [] },
    { change: 'nothing in the template', before: 1, after: 1, images: ['a', 'a'], want: [] },
  ] as const)('$change: $want', ({ before, after, images, want }) => {
    const plan = comparePlan(
      [deployment({ replicas: before, paused: false, template: template(images[0]) })],
      [deployment({ replicas: after, paused: true, template: template(images[1]) })],
    );
    expect(plan.restarts.map((restart) => restart.effect)).toEqual(want);
  });

  it.each([
    ['a claim that shrinks', size('2Gi'), size('1024Mi'), ['spec.resources.requests.storage']],
    ['a claim that grows', size('1Gi'), size('2Gi'), []],
    ['one size in two spellings', size('1Gi'), size('1024Mi'), []],
    [
      'another storage class',
      claim({ storageClassName: 'a' }),
      claim({ storageClassName: 'b' }),
      ['spec.storageClassName'],
    ],
    [
      'another selector',
      deployment({ selector: { matchLabels: { a: '1' } } }),
      deployment({ selector: { matchLabels: { b: '1' } } }),
      ['spec.selector.matchLabels.a', 'spec.selector.matchLabels.b'],
    ],
    [
      'another Job template',
      { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j', namespace: 'lab' }, spec: { template: { a: 1 } } },
      { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j', namespace: 'lab' }, spec: { template: { a: 2 } } },
      ['spec.template.a'],
    ],
    [
      'another roleRef under one name',
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name: 'b' },
        roleRef: { name: 'x' },
      },
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name: 'b' },
        roleRef: { name: 'y' },
      },
      ['roleRef.name'],
    ],
  ] as [string, PlannedObject, PlannedObject, string[]][])('%s is refused: %#', (_, before, after, want) => {
    expect(comparePlan([before], [after]).refused.map((refusal) => refusal.path)).toEqual(want);
  });
});
