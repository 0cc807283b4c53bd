import { assembleFleet, type PlacedAgent, type RenderedFleet } from '../emit/fleet.js';
import { type FleetOptions, renderAgentFiles } from '../emit/rendered-agent.js';
import type { Problem } from '../validation/problem.js';
import type { ValidationOptions } from '../validation/validate-agent.js';
import { type FleetFile, onceEach, readFleetFile } from './read-fleet.js';

/** The tree that some files render to. It is empty when anything in them is an error. */
export interface RenderedFiles extends RenderedFleet {
  /** How many agents are valid by themselves. */
  readonly agents: number;
  /** What was left out on purpose, a line each. */
  readonly notes: readonly string[];
}

/**
 * Reads, validates and renders the agents of `files` to a tree. Each agent is rendered as soon as it is read, and only
 * what the tree needs of it is kept, so that the memory of a large fleet is little more than its output.
 */
export function renderFiles(
  files: Iterable<FleetFile>,
  validation: ValidationOptions,
  options: FleetOptions,
): RenderedFiles {
  const placed: PlacedAgent[] = [];
  const problems: (readonly Problem[])[] = [];
  const notes: (readonly string[])[] = [];
  for (const file of files) {
    const read = readFleetFile(file, validation);
    problems.push(read.problems);
    notes.push(read.notes);
    for (const { agent, position } of read.agents) {
      placed.push({ rendered: renderAgentFiles(agent, file.name, options), position });
    }
  }
  const fleet = assembleFleet(placed);
  const all = [...onceEach(problems.flat()), ...fleet.problems];
  const isValid = all.every(({ severity }) => severity !== 'error');
  return { files: isValid ? fleet.files : new Map(), agents: placed.length, problems: all, notes: notes.flat() };
}
