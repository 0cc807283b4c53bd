import type { ResolvedAgent } from '../api/hermes-agent.js';
import { homeClaimName } from '../children/persistent-volume-claim.js';
import { assembleFleet, type PlacedUnit, type RenderedFleet } from '../emit/fleet.js';
import { type FleetOptions, renderAgentFiles, type RenderedUnit } from '../emit/rendered-agent.js';
import { renderRunFile, type SourcedRun } from '../emit/rendered-run.js';
import { agentKey } from '../runs/neighbours.js';
import type { Neighbours } from '../runs/resolve-run.js';
import type { Problem, SourcePosition } from '../validation/problem.js';
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

/** An agent that was rendered, and what runs may ask of it. */
export interface RenderedAgent {
  readonly unit: RenderedUnit;
  /** Name of the claim that its home is on. */
  readonly home: string;
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
  const fleet = new FleetRendering(validation, options);
  for (const file of files) fleet.add(file);
  return fleet.finish();
}

/**
 * The agents of a file that holds nothing else and about which there is nothing to say; undefined for every other file.
 * All of it is plain data, so that another thread can do it.
 */
export function renderPlainFile(
  file: FleetFile,
  validation: ValidationOptions,
  options: FleetOptions,
): readonly RenderedAgent[] | undefined {
  const { agents, ...others } = readFleetFile(file, validation);
  if (Object.values(others).some((list: readonly unknown[]) => list.length > 0)) return undefined;
  return agents.map(({ agent }) => ({
    unit: renderAgentFiles(agent, file.name, options),
    home: homeClaimName(agent),
  }));
}

/** {@link renderFiles} file by file, in the order in which their problems are told. */
export class FleetRendering {
  readonly #validation: ValidationOptions;
  readonly #options: FleetOptions;
  readonly #fleet: AgentsByFile;
  readonly #placed: PlacedUnit[] = [];
  readonly #runs: SourcedRun[] = [];
  readonly #problems: (readonly Problem[])[] = [];
  readonly #notes: (readonly string[])[] = [];

  constructor(validation: ValidationOptions, options: FleetOptions) {
    this.#validation = validation;
    this.#options = options;
    this.#fleet = new AgentsByFile(validation);
  }

  add(file: FleetFile): void {
    const read = readFleetFile(file, this.#validation);
    this.#problems.push(read.problems);
    this.#notes.push(read.notes);
    this.#runs.push(...read.runs);
    read.broken.forEach((key) => this.#fleet.broken.add(key));
    for (const { agent, position } of read.agents) {
      const unit = renderAgentFiles(agent, file.name, this.#options);
      this.#fleet.add({ unit, home: homeClaimName(agent) }, file);
      this.#placed.push({ rendered: unit, position });
    }
  }

  /** A file that {@link renderPlainFile} has made these of. */
  addRendered(file: FleetFile, agents: readonly RenderedAgent[]): void {
    agents.forEach((agent, index) => {
      this.#fleet.add(agent, file);
      this.#placed.push({ rendered: agent.unit, position: () => this.#positionIn(file, index) });
    });
  }

  /** The tree; nothing can be added afterwards. */
  finish(): RenderedFiles {
    const agents = this.#placed.length;
    for (const sourced of this.#runs) {
      const { rendered, problems } = renderRunFile(sourced, this.#fleet, this.#options);
      this.#problems.push(problems);
      if (rendered !== undefined) this.#placed.push({ rendered, position: () => sourced.position() });
    }
    const tree = assembleFleet(this.#placed);
    const problems = [...onceEach(this.#problems.flat()), ...tree.problems];
    const isValid = problems.every(({ severity }) => severity !== 'error');
    return {
      files: isValid ? tree.files : new Map(),
      agents,
      runs: this.#runs.length,
      problems,
      notes: this.#notes.flat(),
    };
  }

  #positionIn(file: FleetFile, index: number): SourcePosition {
    const { agents } = readFleetFile(file, this.#validation);
    return agents[index]?.position() ?? { file: file.name, line: 1, column: 1 };
  }
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

  add({ unit: { namespace, name }, home }: RenderedAgent, file: FleetFile): void {
    this.#files.set(agentKey(namespace, name), file);
    this.#homes.set(agentKey(namespace, home), name);
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
