import { describe, expect, it } from 'vitest';
import { claimedFromBack, claimedFromFront, fileShare } from '../../../../cli/input/file-share.js';

const share = (count: number): ReturnType<typeof fileShare> =>
  fileShare(
    Array.from({ length: count }, (_, index) => ({ name: `${index}.yaml`, bytes: new Uint8Array() })),
    { allowedClusterRoles: [], allowedBindingNamespaces: [] },
    {},
  );

describe('a share of files', () => {
  it.each<[string, readonly number[]]>([
    ['front front front front', [0, 1, 2, 3]],
    ['back back back back', [3, 2, 1, 0]],
    ['front back front back', [0, 3, 1, 2]],
    ['back front front back', [3, 0, 1, 2]],
    ['front front front back', [0, 1, 2, 3]],
  ])('gives every file to one side alone: %s', (sides, want) => {
    const files = share(4);
    const [front, back] = [claimedFromFront(files), claimedFromBack(files)];
    const claimed = sides.split(' ').map((side) => (side === 'front' ? front : back).next());
    expect(claimed.map(({ value }) => value as number)).toEqual(want);
    expect([front.next().done, back.next().done]).toEqual([true, true]);
  });

  it('of no file gives none', () => {
    expect([...claimedFromFront(share(0)), ...claimedFromBack(share(0))]).toEqual([]);
  });
});
