import type { StoredAgent } from '../kube/objects.js';
import type { ProbeAnswer, ProbeObservation } from '../status/observed.js';
import { parseAnswer, saysTheSame } from './answer.js';
import type { AskDashboard } from './exchange.js';
import { failureText, ProbeFailure } from './failure.js';
import { Lane } from '../timing/lane.js';
import { isSameObject, isSameTarget, type ProbedPod, type ProbeTarget } from './target.js';

/** Where failures are counted. */
export interface ProbeCounter {
  begin(agent: StoredAgent): void;
  failed(agent: StoredAgent): void;
  end(agent: StoredAgent): void;
}

export interface DashboardProberParts {
  /** Whom to ask about the agent of this key, as the cache has it now. */
  readonly find: (key: string) => ProbeTarget | undefined;
  readonly ask: AskDashboard;
  /** Something was learned that a status may depend on. */
  readonly onChange: (key: string) => void;
  readonly onAnswer: (agent: StoredAgent, answer: ProbeAnswer) => void;
  /** The agent is not probed any more. */
  readonly onEnd?: (key: string) => void;
  readonly counter: ProbeCounter;
  /** Server time. */
  readonly now: () => number;
  /** Between two questions to one dashboard, a tenth more or less. */
  readonly intervalMs: number;
  /** For a whole exchange. @default 3000 */
  readonly timeoutMs?: number;
  /** From 0 to 1. */
  readonly random?: () => number;
}

const TIMEOUT_MS = 3000;
const JITTER = 0.1;
/** Within this time a pod that has just come is asked for the first time. */
const SOON_MS = 1000;
/** A pod older than this was there before anybody asked: with it, most likely, those of all other agents. */
const NEW_POD_MS = 60_000;
/** Failures in a row after which one more says nothing new. */
const TELLING_FAILURES = 3;
/** Wide enough for the timeouts of a thousand dashboards that are not there, within one interval. */
const LANE_WIDTH = 100;

/** What is known of one agent that is probed. */
interface Watched {
  target: ProbeTarget;
  last: ProbeAnswer | undefined;
  failures: number;
  failure: string | undefined;
  /** Of the last failure, and how often in a row it was the same. */
  cause: string | undefined;
  sameCause: number;
  /** The next probe comes early, so that agents that began together do not stay together. */
  isUnspread: boolean;
  timer?: NodeJS.Timeout | undefined;
  run?: AbortController | undefined;
}

const NO_FAILURES = { failures: 0, failure: undefined, cause: undefined, sameCause: 0 };

/** Asks the dashboards of agents at their intervals and remembers what they said. Nothing of it outlives the process. */
export class DashboardProber {
  readonly #parts: DashboardProberParts;
  readonly #random: () => number;
  readonly #watched = new Map<string, Watched>();
  readonly #answering = new Lane(LANE_WIDTH);
  /** Dashboards that failed before wait for each other alone. */
  readonly #failing = new Lane(LANE_WIDTH);
  #isStopped = false;

  constructor(parts: DashboardProberParts) {
    this.#parts = parts;
    this.#random = parts.random ?? Math.random;
  }

  /** What is known of this agent now; from the first call on it is probed. Undefined when it is not to be. */
  observe(key: string): ProbeObservation | undefined {
    const target = this.#parts.find(key);
    const former = this.#watched.get(key);
    if (former !== undefined && (target === undefined || !isSameObject(former.target, target))) this.forget(key);
    if (target === undefined) return undefined;
    const { last, failures, failure } = this.#follow(key, target);
    return { failures, ...(last !== undefined && { last }), ...(failure !== undefined && { failure }) };
  }

  /** Ends the probing of this agent. */
  forget(key: string): void {
    const watched = this.#watched.get(key);
    if (watched === undefined) return;
    this.#watched.delete(key);
    halt(watched);
    this.#parts.counter.end(watched.target.agent);
    this.#parts.onEnd?.(key);
  }

  /** Ends all probing; what is known stays known, for the passes that are still under way. */
  stop(): void {
    this.#isStopped = true;
    for (const watched of this.#watched.values()) halt(watched);
  }

  #follow(key: string, target: ProbeTarget): Watched {
    const watched = this.#watched.get(key);
    if (watched === undefined || watched.target.pod?.uid !== target.pod?.uid) return this.#begin(key, target);
    const before = watched.target;
    watched.target = target;
    const isAnew = beginsAnew(before.pod, target.pod);
    if (isAnew && watched.last === undefined) clearFailures(watched);
    const isUnderWay = watched.timer !== undefined || watched.run !== undefined;
    if (target.pod?.address === undefined) halt(watched);
    else if (isAnew || !isUnderWay || !isSameTarget(before, target)) this.#schedule(key, watched, this.#soonMs());
    return watched;
  }

  #begin(key: string, target: ProbeTarget): Watched {
    const former = this.#watched.get(key);
    if (former !== undefined) halt(former);
    const watched: Watched = { target, last: undefined, ...NO_FAILURES, isUnspread: true };
    this.#watched.set(key, watched);
    this.#parts.counter.begin(target.agent);
    if (target.pod?.address === undefined) return watched;
    const isNew = this.#parts.now() - target.pod.createdAt < NEW_POD_MS;
    watched.isUnspread = isNew;
    this.#schedule(key, watched, isNew ? this.#soonMs() : this.#random() * this.#parts.intervalMs);
    return watched;
  }

  #schedule(key: string, watched: Watched, delayMs: number): void {
    halt(watched);
    if (this.#isStopped) return;
    watched.timer = setTimeout(() => {
      watched.timer = undefined;
      void this.#probe(key, watched);
    }, delayMs);
    watched.timer.unref();
  }

  async #probe(key: string, watched: Watched): Promise<void> {
    const run = new AbortController();
    watched.run = run;
    const began = performance.now();
    const lane = watched.failures > 0 ? this.#failing : this.#answering;
    const { target } = watched;
    const result = await lane.run(() => this.#ask(target, run));
    // Whoever ended this run has seen to the next one.
    if (watched.run !== run) return;
    watched.run = undefined;
    const current = this.#parts.find(key);
    // The pass that follows every change of the cache asks again.
    if (current === undefined || !isSameTarget(current, target)) return;
    this.#schedule(key, watched, this.#nextMs(watched) - (performance.now() - began));
    this.#learn(key, watched, result);
  }

  /** An answer, or why there is none. */
  async #ask(target: ProbeTarget, run: AbortController): Promise<ProbeAnswer | string> {
    const { timeoutMs = TIMEOUT_MS } = this.#parts;
    const timer = setTimeout(() => {
      run.abort(new ProbeFailure(`no whole answer within ${timeoutMs / 1000} s`));
    }, timeoutMs);
    try {
      run.signal.throwIfAborted();
      const text = await Promise.race([this.#parts.ask(target, run.signal), aborted(run.signal)]);
      return parseAnswer(text, this.#parts.now(), target.gateways);
    } catch (error) {
      return failureText(run.signal.aborted ? run.signal.reason : error);
    } finally {
      clearTimeout(timer);
    }
  }

  #learn(key: string, watched: Watched, result: ProbeAnswer | string): void {
    if (typeof result === 'string') {
      this.#parts.counter.failed(watched.target.agent);
      watched.failures++;
      watched.sameCause = result === watched.cause ? watched.sameCause + 1 : 1;
      watched.cause = result;
      // Words change with a cause that holds: a dashboard that fails in turns in two ways is one state, not two.
      const isTold = watched.failures <= TELLING_FAILURES || watched.sameCause >= TELLING_FAILURES;
      const isNews = watched.failures <= TELLING_FAILURES || (isTold && watched.failure !== result);
      if (isTold) watched.failure = result;
      if (isNews) this.#parts.onChange(key);
      return;
    }
    const isNews = watched.failures > 0 || !saysTheSame(watched.last, result);
    watched.last = result;
    clearFailures(watched);
    this.#parts.onAnswer(watched.target.agent, result);
    if (isNews) this.#parts.onChange(key);
  }

  #soonMs(): number {
    return this.#random() * SOON_MS;
  }

  #nextMs(watched: Watched): number {
    const { intervalMs } = this.#parts;
    if (!watched.isUnspread) return intervalMs * (1 - JITTER + 2 * JITTER * this.#random());
    watched.isUnspread = false;
    return intervalMs * (0.1 + 0.9 * this.#random());
  }
}

function halt(watched: Watched): void {
  clearTimeout(watched.timer);
  watched.timer = undefined;
  watched.run?.abort(new ProbeFailure('the agent has changed'));
  watched.run = undefined;
}

/** Whether what was tried before says nothing of the dashboard as it is now. */
function beginsAnew(before: ProbedPod | undefined, now: ProbedPod | undefined): boolean {
  return before?.address !== now?.address || (before?.isReady === false && now?.isReady === true);
}

/** Until its pod was ready a dashboard may just not have been up, and once it has answered nothing counts any more. */
function clearFailures(watched: Watched): void {
  Object.assign(watched, NO_FAILURES);
}

/** Rejects when the signal is aborted: an exchange that does not listen must not hold its place. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = (): void => {
      reject(new ProbeFailure('the probe was ended'));
    };
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}
