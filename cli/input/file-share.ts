import type { FleetOptions } from '../../lib/emit/rendered-agent.js';
import type { FleetFile } from '../../lib/fleet/read-fleet.js';
import type { RenderedAgent } from '../../lib/fleet/render-files.js';
import type { ValidationOptions } from '../../lib/validation/validate-agent.js';

/** Files that two threads work off from both ends until they meet. All of it can be passed to a thread. */
export interface FileShare {
  readonly files: readonly FleetFile[];
  readonly validation: ValidationOptions;
  readonly options: ThreadOptions;
  /** One shared number: the files that nobody has claimed yet. */
  readonly left: Int32Array;
}

/** The options of a rendering that another thread can be given. */
export type ThreadOptions = Omit<FleetOptions, 'former'>;

/** What the other thread made of one file; undefined when the file is none that can be rendered out of order. */
export interface ThreadAnswer {
  readonly index: number;
  readonly agents: readonly RenderedAgent[] | undefined;
}

/** A share of which nothing is claimed. */
export function fileShare(
  files: readonly FleetFile[],
  validation: ValidationOptions,
  options: ThreadOptions,
): FileShare {
  const left = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  left[0] = files.length;
  return { files, validation, options, left };
}

/** Claims files from the first one on, as long as there are any, and yields their indices. */
export function* claimedFromFront({ left }: FileShare): Generator<number> {
  for (let index = 0; isClaimed(left); index++) yield index;
}

/** Claims files from the last one back, as long as there are any, and yields their indices. */
export function* claimedFromBack({ left, files }: FileShare): Generator<number> {
  for (let index = files.length - 1; isClaimed(left); index--) yield index;
}

/** Both sides together claim as many files as there are, so that neither comes to one of the other's. */
function isClaimed(left: Int32Array): boolean {
  return Atomics.sub(left, 0, 1) > 0;
}
