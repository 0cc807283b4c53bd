import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unifiedDiff } from '../../../../cli/output/text-diff.js';

const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `line ${index + 1}`);

describe('unifiedDiff', () => {
  it.each([
    ['nothing for equal texts', 'a\nb\n', 'a\nb\n', ''],
    ['a new file', '', 'a\nb\n', '@@ line 1 -> 1 @@\n+a\n+b'],
    ['a file that goes', 'a\n', '', '@@ line 1 -> 1 @@\n-a'],
    ['a changed line', 'a\nb\nc\n', 'a\nx\nc\n', '@@ line 1 -> 1 @@\n a\n-b\n+x\n c'],
  ])('shows %s', (_, before, after, want) => {
    expect(unifiedDiff(before, after)).toBe(want);
  });

  it('shows three lines around each change and leaves out the rest', () => {
    const after = numbered(20);
    after[1] = 'two';
    after.splice(14, 1);
    expect(unifiedDiff(numbered(20).join('\n'), after.join('\n')).split('\n')).toEqual([
      '@@ line 1 -> 1 @@',
      ' line 1',
      '-line 2',
      '+two',
      ' line 3',
      ' line 4',
      ' line 5',
      '@@ line 12 -> 12 @@',
      ' line 12',
      ' line 13',
      ' line 14',
      '-line 15',
      ' line 16',
      ' line 17',
      ' line 18',
    ]);
  });

  it('holds both texts when they are close to each other', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const shown = unifiedDiff(before.join('\n'), after.join('\n')).split('\n').slice(1);
        if (before.join() === after.join()) return;
        expect(shown.filter((line) => !line.startsWith('+')).map((line) => line.slice(1))).toEqual(before);
        expect(shown.filter((line) => !line.startsWith('-')).map((line) => line.slice(1))).toEqual(after);
      }),
      { seed: 5 },
    );
  });
});
