import type { Problem, SourcePosition } from '../validation/problem.js';
import { manifestHeader } from './header.js';
import { kustomizations } from './kustomization.js';
import {
  type FleetOptions,
  renderAgentFiles,
  type RenderedAgent,
  type RenderedFile,
  type SourcedAgent,
} from './rendered-agent.js';
import { treeIndex, TREE_INDEX } from './tree-index.js';

/** A whole rendered tree. Nothing of it is to be written if there are problems. */
export interface RenderedFleet {
  /** Path below the output folder, with `/`, to content in UTF-8; the index of the tree included. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly problems: readonly Problem[];
}

/** A rendered agent, and where its name is written. */
export interface PlacedAgent {
  readonly rendered: RenderedAgent;
  readonly position: () => SourcePosition;
}

/** Renders agents to a tree of files: one folder for each namespace, a kustomization in each folder, an index. */
export function renderFleet(agents: readonly SourcedAgent[], options: FleetOptions = {}): RenderedFleet {
  return assembleFleet(
    agents.map(({ agent, file, position }) => ({ rendered: renderAgentFiles(agent, file, options), position })),
  );
}

/** Puts rendered agents together to a tree, in an order that does not depend on theirs. */
export function assembleFleet(agents: readonly PlacedAgent[]): RenderedFleet {
  const duplicates = duplicateAgents(agents);
  if (duplicates.length > 0) return { files: new Map(), problems: duplicates };
  const sorted = [...agents].sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
  const claimed = new Map<string, PlacedAgent>();
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

function partsByPath(agents: readonly PlacedAgent[]): ReadonlyMap<string, readonly [Part, ...Part[]]> {
  const parts = new Map<string, [Part, ...Part[]]>();
  for (const { rendered } of agents) {
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

function sortKey({ rendered }: PlacedAgent): string {
  return `${rendered.namespace}/${rendered.name}`;
}

/** Two agents of one namespace and name, wherever they are written. */
function duplicateAgents(agents: readonly PlacedAgent[]): readonly Problem[] {
  const first = new Map<string, PlacedAgent>();
  return agents.flatMap((placed): Problem[] => {
    const key = sortKey(placed);
    const earlier = first.get(key);
    if (earlier === undefined) {
      first.set(key, placed);
      return [];
    }
    return [
      {
        severity: 'error',
        rule: 'DuplicateAgent',
        path: ['metadata', 'name'],
        message: `${key} is already written in ${formatPlace(earlier.position())}`,
        hint: 'give one of them another name or namespace, or remove it',
        position: placed.position(),
      },
    ];
  });
}

/** Two objects of one identity, from whichever agents: an engine would apply one over the other without end. */
function claimIdentities(claimed: Map<string, PlacedAgent>, placed: PlacedAgent): readonly Problem[] {
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
