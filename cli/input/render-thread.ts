import { parentPort, workerData } from 'node:worker_threads';
import { renderPlainFile } from '../../lib/fleet/render-files.js';
import { claimedFromBack, type FileShare, type ThreadAnswer } from './file-share.js';

const share = workerData as FileShare;

for (const index of claimedFromBack(share)) {
  const file = share.files[index];
  if (file === undefined) continue;
  const agents = renderPlainFile(file, share.validation, share.options);
  const answer: ThreadAnswer = { index, agents };
  const contents = agents?.flatMap(({ unit }) => unit.files.map(({ content }) => content.buffer as ArrayBuffer)) ?? [];
  parentPort?.postMessage(answer, contents);
}
