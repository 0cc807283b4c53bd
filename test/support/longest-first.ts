import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that wait for whole intervals of engines, probes or watches, the longest first. */
const LONG = [
  'gitops/engines',
  'differential/differential',
  'faults/settled',
  'probe/dashboard',
  'faults/stalled-connections',
  'status/lifecycle',
  'install/image',
  'cluster/leftovers',
  'runs/deadline',
];

/**
 * Begins with the files that take long, so that no worker is left with one of them at the end. The runner's own order
 * knows that only where it has run before.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => rankOf(a) - rankOf(b));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = LONG.findIndex((name) => moduleId.includes(`/integration/${name}`));
  return rank === -1 ? LONG.length : rank;
}
