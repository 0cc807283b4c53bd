import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentRunStatus } from '../../lib/api/generated/types.js';
import { RUN_CONDITION_TYPES, RUN_REASONS } from '../../lib/api/run-reasons.js';
import type { KubeApi } from '../../controller/kube/client.js';
import { hasStatusCode } from '../../controller/kube/errors.js';
import { objectPath, RESOURCES } from '../../controller/kube/resources.js';
import { type StreamApi, watchOnce } from '../../controller/kube/watch.js';
import { EXIT, type ExitCode, IoError } from '../exit-codes.js';
import type { CreatedRun } from './create.js';

/** A run as the API server sends it. */
interface LiveRun {
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string };
  readonly status?: AgentRunStatus;
}

/** Timing of the watch: quiet runs are normal, and a dead connection has to be noticed within minutes. */
const LIMITS = { idleMs: 120_000, connectMs: 15_000, serverTimeoutSeconds: 300 };
const RETRY_MS = 1000;

/** A controller that works looks at a run within a moment. */
const UNSEEN_MS = 10_000;

/** Calls `say` with a line for each change of a run until it is over; resolves with the exit code of its outcome. */
export async function waitForRun(
  api: KubeApi & StreamApi,
  run: CreatedRun,
  timeoutSeconds: number,
  say: (line: string) => void,
): Promise<ExitCode> {
  const over = new AbortController();
  const limit = timeoutSeconds > 0 ? AbortSignal.timeout(timeoutSeconds * 1000) : undefined;
  const signal = limit === undefined ? over.signal : AbortSignal.any([over.signal, limit]);
  let outcome: ExitCode | undefined;
  let shown = '';
  const look = (live: LiveRun): void => {
    if (live.metadata.uid !== run.uid || outcome !== undefined) return;
    const line = describeRun(live.status);
    if (line !== shown && line !== '') say(line);
    shown = line;
    outcome = outcomeOf(live.status);
    if (outcome !== undefined) over.abort();
  };
  const unseen = setTimeout(() => {
    if (shown === '') say(`no controller has looked at this run after ${UNSEEN_MS / 1000} s; is one running?`);
  }, UNSEEN_MS);
  try {
    while (outcome === undefined) {
      if (limit?.aborted === true) return EXIT.timedOut;
      await watchRun(api, run, { signal, look }).catch((error: unknown) => retryable(error, signal));
    }
    return outcome;
  } finally {
    clearTimeout(unseen);
  }
}

async function watchRun(
  api: KubeApi & StreamApi,
  run: CreatedRun,
  { signal, look }: { readonly signal: AbortSignal; readonly look: (run: LiveRun) => void },
): Promise<void> {
  const live = (await api.request({ method: 'GET', path: objectPath(RESOURCES.runs, run), signal })) as LiveRun;
  if (live.metadata.uid !== run.uid) throw new IoError(`AgentRun ${run.namespace}/${run.name} was replaced`);
  look(live);
  // A watch does not notice what was over before it began.
  if (signal.aborted) return;
  const selection = { resource: RESOURCES.runs, namespace: run.namespace };
  await watchOnce(api, { selection, resourceVersion: live.metadata.resourceVersion }, LIMITS, {
    signal,
    onAlive: () => undefined,
    // The last state of a run that is deleted comes with the event too.
    onEvent: ({ type, object }) => {
      if (type !== 'BOOKMARK') look(object as unknown as LiveRun);
    },
  });
}

/** A cluster that is away for a moment is asked again; a run that is gone, or may not be read, is not. */
async function retryable(error: unknown, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  if (error instanceof IoError) throw error;
  if (hasStatusCode(error, 404)) throw new IoError('the run was deleted before its end was seen', { cause: error });
  if (hasStatusCode(error, 401) || hasStatusCode(error, 403)) throw error;
  await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
}

/** `Failed: ImagePullBackOff: container "agent" is stuck …`; empty before the controller has looked. */
export function describeRun(status: AgentRunStatus | undefined): string {
  const { phase } = status ?? {};
  if (phase === undefined) return '';
  const condition = succeededOf(status);
  const parts = [phase, condition?.reason === phase ? undefined : condition?.reason, condition?.message];
  return parts.filter((part) => part !== undefined && part !== '').join(': ');
}

/** The exit code of a run that is over; undefined while it goes on. */
export function outcomeOf(status: AgentRunStatus | undefined): ExitCode | undefined {
  if (status?.phase === 'Succeeded') return EXIT.done;
  if (status?.phase !== 'Failed') return undefined;
  return succeededOf(status)?.reason === RUN_REASONS.limitReached ? EXIT.limitReached : EXIT.runFailed;
}

function succeededOf(status: AgentRunStatus | undefined): { reason?: string; message?: string } | undefined {
  return status?.conditions?.find(({ type }) => type === RUN_CONDITION_TYPES.succeeded);
}
