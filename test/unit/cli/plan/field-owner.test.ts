import { describe, expect, it } from 'vitest';
import { applyManager, lastApplied, withoutRemoved } from '../../../../cli/plan/field-owner.js';

const DIGEST = { 'f:metadata': { 'f:annotations': { 'f:hermes-gitops.dev/spec-digest': {} } } };
const IMAGE = { 'f:spec': { 'f:image': {} } };

interface Entry {
  manager: string;
  operation: string;
  subresource?: string;
  fieldsV1: unknown;
}

describe('applyManager', () => {
  it.each<[string, Entry[], string]>([
    ['nobody', [], 'hermes-gitops-plan'],
    ['the engine', [{ manager: 'engine', operation: 'Apply', fieldsV1: DIGEST }], 'engine'],
    [
      'the engine, not who applied something else',
      [
        { manager: 'other', operation: 'Apply', fieldsV1: IMAGE },
        { manager: 'engine', operation: 'Apply', fieldsV1: DIGEST },
      ],
      'engine',
    ],
    ['nobody for an update', [{ manager: 'argocd', operation: 'Update', fieldsV1: DIGEST }], 'hermes-gitops-plan'],
    ['the engine of an agent', [{ manager: 'engine', operation: 'Apply', fieldsV1: IMAGE }], 'engine'],
    [
      'nobody for a subresource',
      [{ manager: 'engine', operation: 'Apply', subresource: 'scale', fieldsV1: DIGEST }],
      'hermes-gitops-plan',
    ],
    [
      'never the controller',
      [{ manager: 'hermes-gitops-controller', operation: 'Apply', fieldsV1: IMAGE }],
      'hermes-gitops-plan',
    ],
  ])('is %s', (_, managedFields, want) => {
    expect(applyManager({ metadata: { managedFields } })).toBe(want);
  });
});

describe('lastApplied', () => {
  it.each([
    ['{"a":1}', { a: 1 }],
    ['{', undefined],
  ])('reads %j', (text, want) => {
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': text };
    expect(lastApplied({ metadata: { annotations } })).toEqual(want);
  });
});

describe('withoutRemoved', () => {
  it.each<[string, [value: unknown, applied: unknown, rendered: unknown], unknown]>([
    ['a field that was applied and is not rendered', [{ a: 1, b: 2 }, { a: 1, b: 2 }, { a: 1 }], { a: 1 }],
    ['not a field of somebody else', [{ a: 1, b: 2 }, { a: 1 }, { a: 1 }], { a: 1, b: 2 }],
    [
      'a named item',
      [[{ name: 'x' }, { name: 'y' }, { name: 'z' }], [{ name: 'x' }, { name: 'y' }], [{ name: 'x' }]],
      [{ name: 'x' }, { name: 'z' }],
    ],
    ['a field of a named item', [[{ name: 'x', v: 1 }], [{ name: 'x', v: 1 }], [{ name: 'x' }]], [{ name: 'x' }]],
    ['nothing of a list without names', [['a'], ['a', 'b'], ['a']], ['a']],
  ])('takes away %s', (_, sides, want) => {
    expect(withoutRemoved(...sides)).toEqual(want);
  });
});
