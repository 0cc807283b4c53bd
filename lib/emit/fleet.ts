import { neighboursOf } from '../runs/neighbours.js';
import type { Problem, SourcePosition } from '../validation/problem.js';
import { manifestHeader } from './header.js';
import { kustomizations } from './kustomization.js';
import {
  type FleetOptions,
  renderAgentFiles,
  type RenderedFile,
  type RenderedUnit,
  type SourcedAgent,
} from './rendered-agent.js';
import { renderRunFile, type SourcedRun } from './rendered-run.js';
import { treeIndex, TREE_INDEX } from './tree-index.js';

/** A whole rendered tree. Nothing of it is to be written if there are problems. */
export interface RenderedFleet {
  /** Path below the output folder, with `/`, to content in UTF-8; the index of the tree included. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly problems: readonly Problem[];
}

/** A rendered agent or run, and where its name is written. */
export interface PlacedUnit {
  readonly rendered: RenderedUnit;
  readonly position: () => SourcePosition;
}

/**
 * Renders agents and runs to a tree of files: one folder for each namespace, a kustomization in each folder, an index.
 * A run takes what it needs from its agent, which has to be among `agents`.
 */
export function renderFleet(
  agents: readonly SourcedAgent[],
  options: FleetOptions = {},
  runs: readonly SourcedRun[] = [],
): RenderedFleet {
  const neighbours = neighboursOf(agents.map(({ agent }) => agent));
  const renderedRuns = runs.map((sourced) => ({ sourced, ...renderRunFile(sourced, neighbours, options) }));
  const problems = renderedRuns.flatMap((run) => run.problems);
  const { files, problems: conflicts } = assembleFleet([
    ...agents.map(({ agent, file, position }) => ({ rendered: renderAgentFiles(agent, file, options), position })),
    ...renderedRuns.flatMap(({ rendered, sourced }) =>
      rendered === undefined ? [] : [{ rendered, position: () => sourced.position() }],
    ),
  ]);
  return { files, problems: [...problems, ...conflicts] };
}

/** Puts rendered agents and runs together to a tree, in an order that does not depend on theirs. */
export function assembleFleet(units: readonly PlacedUnit[]): RenderedFleet {
  const duplicates = duplicateUnits(units);
  if (duplicates.length > 0) return { files: new Map(), problems: duplicates };
  const sorted = [...units].sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
  const claimed = new Map<string, PlacedUnit>();
  const problems = sorted.flatMap((placed) => claimIdentities(claimed, placed));
  const files = new Map<string, Uint8Array>();
  const encoder = new TextEncoder();
  for (const [path, parts] of partsByPath(sorted)) files.set(path, joined(parts));
  for (const [path, text] of kustomizations(files.keys())) files.set(path, encoder.encode(text));
  files.set(TREE_INDEX, encoder.encode(treeIndex(files.keys())));
  return { files, problems };
}

interface Part {
  readonly source: string;
  readonly file: RenderedFile;
}

function partsByPath(units: readonly PlacedUnit[]): ReadonlyMap<string, readonly [Part, ...Part[]]> {
  const parts = new Map<string, [Part, ...Part[]]>();
  for (const { rendered } of units) {
    for (const file of rendered.files) {
      const part = { source: rendered.source, file };
      const others = parts.get(file.path);
      if (others === undefined) parts.set(file.path, [part]);
      else others.push(part);
    }
  }
  return parts;
}

function joined(parts: readonly [Part, ...Part[]]): Uint8Array {
  if (parts.length === 1) return parts[0].file.content;
  const sources = new Set(parts.map(({ source }) => source));
  const header = Buffer.from(manifestHeader([...sources].sort()));
  return Buffer.concat([header, ...parts.map(({ file }) => file.content.subarray(file.headerLength))]);
}

function sortKey({ rendered: { kind, namespace, name } }: PlacedUnit): string {
  return `${namespace}/${kind}/${name}`;
}

/** Two agents, or two runs, of one namespace and name, wherever they are written. */
function duplicateUnits(units: readonly PlacedUnit[]): readonly Problem[] {
  const first = new Map<string, PlacedUnit>();
  return units.flatMap((placed): Problem[] => {
    const { kind, namespace, name } = placed.rendered;
    const key = sortKey(placed);
    const earlier = first.get(key);
    if (earlier === undefined) {
      first.set(key, placed);
      return [];
    }
    return [
      {
        severity: 'error',
        rule: kind === 'agent' ? 'DuplicateAgent' : 'DuplicateRun',
        path: ['metadata', 'name'],
        message: `${namespace}/${name} is already written in ${formatPlace(earlier.position())}`,
        hint: 'give one of them another name or namespace, or remove it',
        position: placed.position(),
      },
    ];
  });
}

/** Two objects of one identity, from whichever agents and runs: an engine would apply one over the other without end. */
function claimIdentities(claimed: Map<string, PlacedUnit>, placed: PlacedUnit): readonly Problem[] {
  return placed.rendered.identities.flatMap((identity): Problem[] => {
    const earlier = claimed.get(identity);
    if (earlier === undefined) {
      claimed.set(identity, placed);
      return [];
    }
    const [, kind = '', namespace = '', name = ''] = identity.split('/');
    const place = namespace === '' ? name : `${namespace}/${name}`;
    const message = `renders ${kind} ${place}, which ${formatPlace(earlier.position())} renders too`;
    return [
      {
        severity: 'error',
        rule: 'DuplicateObject',
        path: ['metadata', 'name'],
        message,
        hint: 'give one of the two another name or namespace',
        position: placed.position(),
      },
    ];
  });
}

function formatPlace({ file, line, column }: SourcePosition): string {
  return `${file}:${line}:${column}`;
}
