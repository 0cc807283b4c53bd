import type { ResolvedAgent } from '../api/hermes-agent.js';
import { homeClaimName } from '../children/persistent-volume-claim.js';
import { assembleFleet, type PlacedUnit, type RenderedFleet } from '../emit/fleet.js';
import { type FleetOptions, renderAgentFiles } from '../emit/rendered-agent.js';
import { renderRunFile, type SourcedRun } from '../emit/rendered-run.js';
import { agentKey } from '../runs/neighbours.js';
import type { Neighbours } from '../runs/resolve-run.js';
import type { Problem } from '../validation/problem.js';
import type { ValidationOptions } from '../validation/validate-agent.js';
import { type FleetFile, onceEach, readFleetFile } from './read-fleet.js';

/** The tree that some files render to. It is empty when anything in them is an error. */
export interface RenderedFiles extends RenderedFleet {
  /** How many agents are valid by themselves. */
  readonly agents: number;
  /** How many runs are valid by themselves. */
  readonly runs: number;
  /** What was left out on purpose, a line each. */
  readonly notes: readonly string[];
}

/**
 * Reads, validates and renders the agents and runs of `files` to a tree. Each agent is rendered as soon as it is read,
 * and only what the tree needs of it is kept, so that the memory of a large fleet is little more than its output. An
 * agent that a run names is read once more.
 */
export function renderFiles(
  files: Iterable<FleetFile>,
  validation: ValidationOptions,
  options: FleetOptions,
): RenderedFiles {
  const placed: PlacedUnit[] = [];
  const runs: SourcedRun[] = [];
  const problems: (readonly Problem[])[] = [];
  const notes: (readonly string[])[] = [];
  const fleet = new AgentsByFile(validation);
  for (const file of files) {
    const read = readFleetFile(file, validation);
    problems.push(read.problems);
    notes.push(read.notes);
    runs.push(...read.runs);
    read.broken.forEach((key) => fleet.broken.add(key));
    for (const { agent, position } of read.agents) {
      fleet.add(agent, file);
      placed.push({ rendered: renderAgentFiles(agent, file.name, options), position });
    }
  }
  const agents = placed.length;
  for (const sourced of runs) {
    const { rendered, problems: wrong } = renderRunFile(sourced, fleet, options);
    problems.push(wrong);
    if (rendered !== undefined) placed.push({ rendered, position: () => sourced.position() });
  }
  const tree = assembleFleet(placed);
  const all = [...onceEach(problems.flat()), ...tree.problems];
  const isValid = all.every(({ severity }) => severity !== 'error');
  return {
    files: isValid ? tree.files : new Map(),
    agents,
    runs: runs.length,
    problems: all,
    notes: notes.flat(),
  };
}

/** Knows in which file each agent is, and reads the file again when a run asks for the agent. */
class AgentsByFile implements Neighbours {
  readonly broken = new Set<string>();
  readonly #files = new Map<string, FleetFile>();
  readonly #homes = new Map<string, string>();
  readonly #read = new Map<FleetFile, ReadonlyMap<string, ResolvedAgent>>();
  readonly #validation: ValidationOptions;

  constructor(validation: ValidationOptions) {
    this.#validation = validation;
  }

  add(agent: ResolvedAgent, file: FleetFile): void {
    this.#files.set(agentKey(agent.namespace, agent.name), file);
    this.#homes.set(agentKey(agent.namespace, homeClaimName(agent)), agent.name);
  }

  readonly agentOf = (namespace: string, name: string): ResolvedAgent | undefined => {
    const key = agentKey(namespace, name);
    const file = this.#files.get(key);
    return file === undefined ? undefined : this.#agentsOf(file).get(key);
  };

  readonly isBroken = (namespace: string, name: string): boolean => this.broken.has(agentKey(namespace, name));

  readonly homeOf = (namespace: string, claim: string): string | undefined =>
    this.#homes.get(agentKey(namespace, claim));

  #agentsOf(file: FleetFile): ReadonlyMap<string, ResolvedAgent> {
    const known = this.#read.get(file);
    if (known !== undefined) return known;
    const { agents } = readFleetFile(file, this.#validation);
    const byKey = new Map(agents.map(({ agent }) => [agentKey(agent.namespace, agent.name), agent]));
    this.#read.set(file, byKey);
    return byKey;
  }
}
