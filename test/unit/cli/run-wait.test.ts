import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { waitForRun } from '../../../cli/run/wait.js';
import type { KubeApi } from '../../../controller/kube/client.js';
import type { StreamApi } from '../../../controller/kube/watch.js';

const RUN = { name: 'sum-1', namespace: 'lab', uid: 'run-uid', resourceVersion: '7' };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** What is said of a run that has this status from the start and is deleted after so long. */
async function saidWithin(ms: number, status: object): Promise<readonly string[]> {
  let isGone = false;
  const api = {
    request: () =>
      isGone ? Promise.resolve({ metadata: { uid: 'other' } }) : Promise.resolve({ metadata: { ...RUN }, status }),
    // A watch that says nothing.
    stream: (_: unknown, signal: AbortSignal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reject(new Error('aborted'));
        });
      }),
  } as unknown as KubeApi & StreamApi;
  const lines: string[] = [];
  const waiting = waitForRun(api, RUN, 0, (line) => void lines.push(line));
  const over = expect(waiting).rejects.toThrow('was replaced');
  await vi.advanceTimersByTimeAsync(ms);
  isGone = true;
  await vi.advanceTimersByTimeAsync(20_000);
  await over;
  return lines.slice();
}

const UNSEEN = 'no controller has looked at this run after 10 s; is one running?';

it('says once that no controller has looked at the run', async () => {
  expect(await saidWithin(60_000, {})).toEqual([UNSEEN]);
});

it('does not say so of a run that was looked at', async () => {
  expect(await saidWithin(60_000, { phase: 'Pending' })).toEqual(['Pending']);
});
