import type { ResolvedRun, ValidRun } from '../api/agent-run.js';
import { canonicalJson, isObject } from '../api/canonical-json.js';
import type { ResolvedAgent } from '../api/hermes-agent.js';
import { normalizeWithoutDefaults } from '../api/normalize.js';
import { RUN_SPEC_SCHEMA } from '../api/schema-access.js';
import { type RunChildren, renderRunChildren } from '../children/run/render-run.js';
import type { PathSegment, Problem } from '../validation/problem.js';
import { Reporter } from '../validation/reporter.js';
import { checkResolvedRun, type HomeOf } from '../validation/run/resolved-run.js';
import { runSpecDigest } from '../validation/validate-run.js';
import type { FormerRun } from './former-run.js';
import { keptWorkloadProblems } from './kept-workload.js';

/** The agents that a run is rendered beside. */
export interface Neighbours {
  readonly agentOf: (namespace: string, name: string) => ResolvedAgent | undefined;
  /** Whether an agent is there and not valid, which is reported for the agent. */
  readonly isBroken: (namespace: string, name: string) => boolean;
  readonly homeOf: HomeOf;
}

/** How a run is resolved. */
export interface ResolveOptions {
  readonly flux?: boolean;
  /**
   * What becomes of a run whose spec is not the one that it was rendered from: an error; or, for a plan to show, it is
   * rendered anew. What is not as synth wrote it is an error either way.
   * @default 'refused'
   */
  readonly changed?: 'refused' | 'rendered' | undefined;
}

/** What a run renders to when nothing is wrong with it. */
export interface RunResolution {
  readonly children?: RunChildren & {
    /** The text of the workload where it stays as it was rendered before. */
    readonly workloadText?: string;
  };
  readonly problems: readonly Problem[];
}

/**
 * Renders a run, once: while its spec is what it was rendered from before, its workload stays as it is, whatever has
 * become of its agent and of this program. A Job's pod template can never change, and one object that the API server
 * refuses keeps an engine from applying all others.
 */
export function resolveRun(
  run: ValidRun,
  former: FormerRun | undefined,
  neighbours: Neighbours,
  options: ResolveOptions = {},
): RunResolution {
  if (former !== undefined && former.problems.length > 0) return { problems: former.problems };
  const isSame = former !== undefined && runSpecDigest(former.spec) === run.digest;
  if (isSame && former.workload !== undefined) {
    const edits = former.isFound === true ? [] : keptWorkloadProblems(run, former.workload);
    if (edits.length > 0) return { problems: edits };
    const { manifest, text } = former.workload;
    // Of the run itself labels and annotations may change.
    const { agentRun } = renderRunChildren({ ...run, agent: undefined }, options);
    return {
      children: { agentRun, workload: manifest, ...(text !== undefined && { workloadText: text }) },
      problems: [],
    };
  }
  const isChanged = former !== undefined && !isSame;
  if (isChanged && options.changed !== 'rendered') return { problems: [changedProblem(run, former)] };
  const resolved = withAgent(run, neighbours);
  if ('problems' in resolved) return resolved;
  const report = new Reporter();
  checkResolvedRun(resolved, neighbours.homeOf, report);
  if (report.problems.length > 0) return { problems: report.problems };
  return { children: renderRunChildren(resolved, options), problems: [] };
}

function withAgent(run: ValidRun, { agentOf, isBroken }: Neighbours): ResolvedRun | { readonly problems: Problem[] } {
  const name = run.spec.agentRef?.name;
  if (name === undefined) return { ...run, agent: undefined };
  const agent = agentOf(run.namespace, name);
  if (agent !== undefined) return { ...run, agent };
  // What is wrong with the agent is said at its own place.
  if (isBroken(run.namespace, name)) return { problems: [] };
  const message = `no agent ${name} of namespace ${run.namespace} is among the inputs`;
  const hint = 'render the whole fleet together, or write image: … in place of agentRef';
  return {
    problems: [{ severity: 'error', rule: 'AgentNotFound', path: ['spec', 'agentRef', 'name'], message, hint }],
  };
}

function changedProblem(run: ValidRun, former: FormerRun): Problem {
  const field = changedField(former.spec, run.object.spec);
  const path: readonly PathSegment[] = field === undefined ? ['spec'] : ['spec', field];
  const message = 'is not what the run was rendered from, and a run is final';
  return { severity: 'error', rule: 'RunChanged', path, message, hint: 'use a new name for a new run' };
}

/** The first field that is new or another in `after`, else one that it lost. */
function changedField(before: unknown, after: unknown): string | undefined {
  const [from, to] = [before, after].map((spec) => normalizeWithoutDefaults(spec, RUN_SPEC_SCHEMA));
  if (!isObject(from) || !isObject(to)) return undefined;
  return [...Object.keys(to), ...Object.keys(from)].find(
    (key) => canonicalJson(from[key] ?? null) !== canonicalJson(to[key] ?? null),
  );
}
