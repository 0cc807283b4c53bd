import type { RecordEvent } from '../kube/event-recorder.js';
import { objectKey } from '../cache/store.js';
import type { StoredAgent } from '../kube/objects.js';
import { field } from '../status/spec-view.js';
import type { ProbeAnswer } from '../status/observed.js';

/** What the teardown after the drain needs of the grace period. */
const TEARDOWN_SECONDS = 30;

/** What the CRD fills in. */
const DEFAULT_GRACE_SECONDS = 210;

/** A drain that takes longer than this is a slip of the pen, and a grace period for it would be one too. */
const MAX_DRAIN_SECONDS = 24 * 60 * 60;

/** What to tell an owner whose agent would be killed while it drains; undefined when it has the time that it asks for. */
export function drainWarning(agent: StoredAgent, answer: ProbeAnswer): string | undefined {
  const { restartDrainTimeout } = answer;
  const stored = field(agent.spec, 'terminationGracePeriodSeconds');
  const grace = typeof stored === 'number' ? stored : DEFAULT_GRACE_SECONDS;
  if (restartDrainTimeout === undefined) return undefined;
  const drain = Math.min(restartDrainTimeout, MAX_DRAIN_SECONDS);
  if (drain <= grace - TEARDOWN_SECONDS) return undefined;
  const wanted = Math.ceil(drain + TEARDOWN_SECONDS);
  return (
    `the agent drains for up to ${drain} s (agent.restart_drain_timeout), and its pod is killed after ${grace} s: ` +
    `sessions may be cut off; set terminationGracePeriodSeconds to at least ${wanted}`
  );
}

/** Says one warning an agent, and another only after all was in order: a number that changes with each answer is no news. */
export class DrainWarnings {
  readonly #record: RecordEvent;
  /** UID of the agent that was warned, by its key. */
  readonly #said = new Map<string, string>();

  constructor(record: RecordEvent) {
    this.#record = record;
  }

  look(agent: StoredAgent, answer: ProbeAnswer): void {
    const key = objectKey(agent.metadata);
    const note = drainWarning(agent, answer);
    if (note === undefined) {
      this.#said.delete(key);
      return;
    }
    if (this.#said.get(key) === agent.metadata.uid) return;
    this.#said.set(key, agent.metadata.uid);
    this.#record(agent, { type: 'Warning', reason: 'DrainCutShort', action: 'DashboardProbed', note });
  }

  forget(key: string): void {
    this.#said.delete(key);
  }
}
