import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { FleetOptions } from '../../lib/emit/rendered-agent.js';
import type { FleetFile } from '../../lib/fleet/read-fleet.js';
import { FleetRendering, type RenderedAgent, type RenderedFiles, renderFiles } from '../../lib/fleet/render-files.js';
import type { ValidationOptions } from '../../lib/validation/validate-agent.js';
import { claimedFromFront, type FileShare, fileShare, type ThreadAnswer } from './file-share.js';

/** Files from which on a second thread saves more than its start takes. */
const LEAST_FILES = 500;

/** Packed beside the CLI; not there in a process that runs from its sources, which renders everything by itself. */
const THREAD = fileURLToPath(new URL('render-thread.js', import.meta.url));

/**
 * `renderFiles`, for many files on two threads: this one begins with the first file, the other one with the last, and
 * files that need more than to be rendered are left to this one. The result is the same to the byte.
 */
export async function renderOnTwoThreads(
  files: readonly FleetFile[],
  validation: ValidationOptions,
  options: FleetOptions,
): Promise<RenderedFiles> {
  if (files.length < LEAST_FILES || availableParallelism() < 2 || !existsSync(THREAD))
    return renderFiles(files, validation, options);
  const { former, ...threadOptions } = options;
  const share = fileShare(files, validation, threadOptions);
  const others = rendersFromBack(share);
  const fleet = new FleetRendering(validation, options);
  let next = 0;
  for (const index of claimedFromFront(share)) {
    const file = files[index];
    if (file !== undefined) fleet.add(file);
    next = index + 1;
  }
  const rendered = await others;
  files.slice(next).forEach((file, index) => {
    const agents = rendered.get(next + index);
    if (agents === undefined) fleet.add(file);
    else fleet.addRendered(file, agents);
  });
  return fleet.finish();
}

/** Resolves with what another thread made of its share, by the index of the file. Never rejects. */
function rendersFromBack(share: FileShare): Promise<ReadonlyMap<number, readonly RenderedAgent[]>> {
  const rendered = new Map<number, readonly RenderedAgent[]>();
  const thread = new Worker(THREAD, { workerData: share });
  thread.on('message', ({ index, agents }: ThreadAnswer) => {
    if (agents !== undefined) rendered.set(index, agents);
  });
  return new Promise((resolve) => {
    // What it could not do is done here, and fails here with the same error, if it does.
    thread.on('error', () => undefined);
    thread.on('exit', () => {
      resolve(rendered);
    });
  });
}
