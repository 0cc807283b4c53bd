import { describe, expect, it } from 'vitest';
import { completeConditions } from '../../../../controller/status/conditions.js';
import { clean } from '../../../../controller/status/messages.js';
import { ago, former, NOW } from '../../../support/observed-agent.js';

describe('what others say, in a condition', () => {
  const complete = (reason: string, before = former('PodReady', 'True', 'PodRunning')): object | undefined =>
    completeConditions(new Map([['PodReady', { status: 'True', reason, message: '' }]]), {
      former: [before],
      generation: 1,
      now: NOW,
    })[0];

  it('loses characters that cannot be seen or turn the direction of the text', () => {
    expect(clean('a\u202eb\u200bc\u2066d\ufeff\u00ad e')).toBe('abcd e');
    expect(clean('\u2066\u200b\ufeff\u202e')).toBe('');
  });

  it.each([
    [`${'A'.repeat(1023)}:B`, 'A'.repeat(1023)],
    ['Odd:,', 'Odd'],
    ['7:', 'Unknown'],
  ])('has a reason that the API server takes', (reason, want) => {
    expect(complete(reason)).toMatchObject({ reason: want });
  });

  it.each([
    ['of the past stays', 60, ago(60)],
    ['of this second stays', 0, ago(0)],
    ['by a clock that is a little ahead stays', -5, ago(-5)],
    ['further ahead counts as now', -6, ago(0)],
    ['of tomorrow counts as now', -86_400, ago(0)],
  ])('has a time of its transition that %s', (_, heldFor, want) => {
    expect(complete('PodRunning', former('PodReady', 'True', 'PodRunning', { heldFor }))).toMatchObject({
      lastTransitionTime: want,
    });
  });
});
