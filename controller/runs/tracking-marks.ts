import { carriesMark, TRACKING_MARKS } from '../../lib/api/tracking-marks.js';
import type { KubeObject } from '../kube/objects.js';

/** The keys of the marks that an object carries, in the order of the list, and after it those of `moreMarks`. */
export function marksOf({ metadata }: KubeObject, moreMarks: readonly string[]): readonly string[] {
  const keys = new Set([...TRACKING_MARKS.map(({ key }) => key), ...moreMarks]);
  return [...keys].filter((key) => carriesMark(metadata, key));
}
