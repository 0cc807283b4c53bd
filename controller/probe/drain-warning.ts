import type { RecordEvent } from '../kube/event-recorder.js';
import { objectKey } from '../cache/store.js';
import type { StoredAgent } from '../kube/objects.js';
import { field } from '../status/spec-view.js';
import type { ProbeAnswer } from '../status/observed.js';

/** What the teardown after the drain needs of the grace period. */
const TEARDOWN_SECONDS = 30;

/** What the CRD fills in. */
const DEFAULT_GRACE_SECONDS = 210;

/** What to tell an owner whose agent would be killed while it drains; undefined when it has the time that it asks for. */
export function drainWarning(agent: StoredAgent, answer: ProbeAnswer): string | undefined {
  const { restartDrainTimeout: drain } = answer;
  const stored = field(agent.spec, 'terminationGracePeriodSeconds');
  const grace = typeof stored === 'number' ? stored : DEFAULT_GRACE_SECONDS;
  if (drain === undefined || drain <= grace - TEARDOWN_SECONDS) return undefined;
  const wanted = Math.ceil(drain + TEARDOWN_SECONDS);
  return (
    `the agent drains for up to ${drain} s (agent.restart_drain_timeout), and its pod is killed after ${grace} s: ` +
    `sessions may be cut off; set terminationGracePeriodSeconds to at least ${wanted}`
  );
}

/** Says each warning once, and again only after it has changed or gone. */
export class DrainWarnings {
  readonly #record: RecordEvent;
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
    const identity = `${agent.metadata.uid} ${note}`;
    if (this.#said.get(key) === identity) return;
    this.#said.set(key, identity);
    this.#record(agent, { type: 'Warning', reason: 'DrainCutShort', action: 'DashboardProbed', note });
  }

  forget(key: string): void {
    this.#said.delete(key);
  }
}
