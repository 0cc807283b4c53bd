import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { terminationData } from '../../../../controller/runs/termination-data.js';
import { judge, said } from '../../../support/judged-run.js';
import { ended, endedPod, observedRun } from '../../../support/observed-run.js';

/** A map in a map, so many levels below the first. */
const nested = (levels: number): string => `${'{"a":'.repeat(levels)}{}${'}'.repeat(levels)}`;

describe('a termination message', () => {
  it.each([
    ['an object', ' {"tokens": 12, "files": ["a", "b"]}\n', { tokens: 12, files: ['a', 'b'] }],
    ['an empty object', '{}', {}],
    ['an object with nulls, which no API server keeps', '{"a": null, "b": {"c": null}}', { b: {} }],
    ['a number that only JSON knows', '{"a": -0}', { a: 0 }],
    ['the largest whole number that is exact', '{"a": 9007199254740991, "b": 0.1}', { a: 9007199254740991, b: 0.1 }],
    ['sixteen levels', nested(16), JSON.parse(nested(16)) as object],
    ['a list', '[1]', undefined],
    ['a text', 'all done', undefined],
    ['an object that is cut off', '{"a": 1', undefined],
    ['an object that is too large', `{"a": "${'x'.repeat(4096)}"}`, undefined],
    ['nothing', undefined, undefined],
  ])('that is %s', (_what, message, want) => {
    expect(terminationData(message)).toEqual(want === undefined ? {} : { data: want });
  });

  it.each([
    ['{"a": 9007199254740993}', 'has a number beyond 2^53'],
    ['{"a": [{"b": -9007199254740992}]}', 'has a number beyond 2^53'],
    ['{"a": 1e999}', 'has a number beyond 2^53'],
    ['{"a": "\\ud800"}', 'has half of a character'],
    ['{"\\ud800": 1}', 'has half of a character'],
    ['{"a": [1, null]}', 'has a null in a list'],
    [nested(17), 'is nested deeper than 16 levels'],
  ])('is left out as a whole where it would be changed: %s', (message, leftOut) => {
    expect(terminationData(message)).toEqual({ leftOut });
  });

  it('is told where it is left out, and why', () => {
    const observed = observedRun({ pods: [endedPod(ended(0, { message: '{"id": 9007199254740993}' }))] });
    expect(judge(observed).status).not.toHaveProperty('terminationData');
    expect(said(observed).message).toBe(
      'container "agent" ended with exit code 0; terminationData is left out, because it has a number beyond 2^53: {"id": 9007199254740993}',
    );
  });

  it('is stored as data when it is an object, and told in the message when it is a text', () => {
    const data = observedRun({ pods: [endedPod(ended(1, { message: '{"tokens": 12}' }))] });
    expect(judge(data).status.terminationData).toEqual({ tokens: 12 });
    expect(said(data).message).toBe('container "agent" ended with exit code 1');
    const text = observedRun({ pods: [endedPod(ended(1, { message: 'out of\u0007 tokens' }))] });
    expect(judge(text).status).not.toHaveProperty('terminationData');
    expect(said(text).message).toBe('container "agent" ended with exit code 1: out of tokens');
  });

  it('comes back from a JSON store as it went in, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json(),
          fc.string(),
          fc.object().map((value) => JSON.stringify(value)),
        ),
        (message) => {
          const { data } = terminationData(message);
          if (data === undefined) return;
          const text = JSON.stringify(data);
          expect(JSON.parse(text)).toEqual(data);
          expect(text).not.toContain('null');
        },
      ),
      { numRuns: 300 },
    );
  });
});
