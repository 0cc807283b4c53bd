import { RUN_CONTAINER } from '../../lib/api/identity.js';
import { SETTLED_WAITING_REASONS } from '../../lib/api/reasons.js';
import { RUN_CONDITION_TYPES, RUN_REASONS } from '../../lib/api/run-reasons.js';
import type { Pod } from '../kube/objects.js';
import { isOver } from '../status/pod-selection.js';
import { agentContainer } from './pods-of-run.js';
import type { RunFacts } from './run-facts.js';
import type { RunStatus, StopOrder, StopReason } from './run-verdict.js';
import { instant } from './times.js';
import type { Workload } from './workload.js';

/** Whether the workload of a run that is over has to stop, and when to look again at one that may end by itself. */
export interface StopVerdict {
  readonly stop?: StopOrder;
  readonly recheckAfterMs?: number;
}

/** How long other containers may run on after the agent: many see by themselves that their work is done. */
const SIDECAR_MS = 5_000;

/** How long a Job may take to say that it has ended, once all of its pod has. */
const JOB_END_MS = 30_000;

/** What to stop of a run whose status is final, so that its slot is free: no pod at work, nothing that makes another. */
export function stopVerdict(facts: RunFacts, status: RunStatus): StopVerdict {
  const { workload } = facts;
  if (workload === undefined || workload.isToldToSuspend) return {};
  // A Job that has ended does nothing any more. A Sandbox makes a new pod for one that goes: draining a node would start
  // each finished run again.
  if (workload.kind === 'Job' && workload.end !== undefined) return {};
  if (workload.uid !== status.workload?.uid) return { stop: order(workload, 'Restarted') };
  const { lastTransitionTime, reason = '' } =
    status.conditions.find(({ type }) => type === RUN_CONDITION_TYPES.succeeded) ?? {};
  const patience = workload.kind === 'Job' ? patienceMs(facts) : 0;
  // By the server's clock: the one of a node may be ahead.
  const elapsed = facts.now - (instant(lastTransitionTime) ?? facts.now);
  if (elapsed < patience) return { recheckAfterMs: Math.min(patience, patience - elapsed) };
  return { stop: order(workload, NEVER_STARTED.includes(reason) ? 'StartFailed' : 'Finished') };
}

const NEVER_STARTED: readonly string[] = [...SETTLED_WAITING_REASONS, RUN_REASONS.startupDeadlineExceeded];

/** A Job that is suspended before it has said that it is complete never says it, and loses its pod with the log. */
function patienceMs({ pods }: RunFacts): number {
  const active = pods.present.filter((pod) => !isOver(pod));
  if (pods.present.length === 0 || active.some((pod) => agentContainer(pod)?.state?.terminated === undefined)) return 0;
  return active.some(hasSidecar) ? SIDECAR_MS : JOB_END_MS;
}

/** Init containers that run beside the others are stopped by the kubelet. */
function hasSidecar(pod: Pod): boolean {
  const others = pod.status?.containerStatuses?.filter(({ name }) => name !== RUN_CONTAINER) ?? [];
  return others.some(({ state }) => state?.running !== undefined);
}

function order({ kind, object }: Workload, reason: StopReason): StopOrder {
  const { name, namespace = '', uid } = object.metadata;
  return { kind, namespace, name, uid, reason };
}
