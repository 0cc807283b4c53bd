import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { terminationData } from '../../../../controller/runs/termination-data.js';
import { judge, said } from '../../../support/judged-run.js';
import { ended, endedPod, observedRun } from '../../../support/observed-run.js';

describe('a termination message', () => {
  it.each([
    ['an object', ' {"tokens": 12, "files": ["a", "b"]}\n', { tokens: 12, files: ['a', 'b'] }],
    ['an empty object', '{}', {}],
    ['an object with nulls, which no API server keeps', '{"a": null, "b": {"c": null}}', { b: {} }],
    ['a number that only JSON knows', '{"a": -0, "b": 1e400}', { a: 0 }],
    ['half of a character', '{"a": "\\ud800"}', { a: '\ufffd' }],
    ['a list', '[1]', undefined],
    ['a text', 'all done', undefined],
    ['an object that is cut off', '{"a": 1', undefined],
    ['an object that is too large', `{"a": "${'x'.repeat(4096)}"}`, undefined],
    ['nothing', undefined, undefined],
  ])('that is %s', (_what, message, want) => {
    expect(terminationData(message)).toEqual(want);
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
          const data = terminationData(message);
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
