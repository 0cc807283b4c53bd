import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { trimOf, withoutManagedFields } from '../../../../controller/kube/managed-fields.js';
import { RESOURCES } from '../../../../controller/kube/resources.js';

const trimmed = (json: string): string => withoutManagedFields(Buffer.from(json)).toString('utf8');

/** The value with every list of that name emptied, by the rules of JSON. */
function emptied(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (key, part: unknown) =>
    key === 'managedFields' && Array.isArray(part) ? [] : part,
  );
}

const KEYS = ['managedFields', 'x"managedFields', '\\managedFields', '\\"managedFields', 'ä', ']', '[{', 'name'];
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, depthSize: 'medium' },
    fc.constantFrom(null, true, 0, -1.5e300, '', ']', '"', '\\', '\\"', '"managedFields":[', 'ü]'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...KEYS), tie('value'), { maxKeys: 3 }),
  ),
})).value;

describe('withoutManagedFields', () => {
  it('leaves an object without who wrote what, and everything else of it', () => {
    const object = {
      metadata: {
        name: 'mina',
        managedFields: [
          { manager: 'kubectl', fieldsV1: { 'f:spec': { 'v:"]"': {}, 'k:{"name":"a\\"]"}': { '.': {} } } } },
          { manager: 'kubelet', fieldsV1: {} },
        ],
        uid: 'u1',
      },
      status: { message: 'the list "managedFields":[] says who' },
    };
    expect(trimmed(JSON.stringify(object))).toBe(
      '{"metadata":{"name":"mina","managedFields":[],"uid":"u1"},"status":{"message":"the list \\"managedFields\\":[] says who"}}',
    );
  });

  it.each([
    ['none', '{"metadata":{"name":"mina"}}'],
    ['no list', '{"managedFields":null,"metadata":{"managedFields":{"a":[1]}}}'],
    ['a name that ends like it', '{"x\\"managedFields":[1]}'],
    ['nothing', ''],
  ])('leaves alone what has %s', (_, text) => {
    expect(trimmed(text)).toBe(text);
  });

  it.each(['{"managedFields":[{"a":"', '{"managedFields":[', '{"managedFields":[{"a":"\\'])(
    'makes no whole answer of one that was cut off: %s',
    (text) => {
      expect(() => JSON.parse(trimmed(text)) as unknown).toThrow(SyntaxError);
    },
  );

  it('empties such lists, and nothing else, in whatever JSON', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(JSON.parse(trimmed(JSON.stringify(value)))).toEqual(emptied(value));
      }),
      { numRuns: 3000, seed: 7 },
    );
  });
});

describe('trimOf', () => {
  it('leaves runs as they are, whose result may be anything', () => {
    const bytes = Buffer.from('{"status":{"result":{"managedFields":[1]}}}');
    expect(trimOf(RESOURCES.runs)(Buffer.from(bytes))).toEqual(bytes);
    expect(trimOf(RESOURCES.pods)(Buffer.from(bytes)).toString()).toBe('{"status":{"result":{"managedFields":[]}}}');
  });
});
