import type { ResolvedAgent } from '../api/hermes-agent.js';
import type { KubeManifest } from '../children/manifest.js';
import { renderAgent, type RenderOptions } from '../children/render-agent.js';
import type { Problem, SourcePosition } from '../validation/problem.js';
import { manifestHeader } from './header.js';
import { agentFiles, AGENTS_FOLDER, DEFAULT_LAYOUT, type Layout } from './layout.js';
import { kustomizations } from './kustomization.js';
import { treeIndex, TREE_INDEX } from './tree-index.js';
import { toYaml } from './yaml.js';

/** An agent, and where it was written. */
export interface SourcedAgent {
  readonly agent: ResolvedAgent;
  /** The file, as messages and headers call it. */
  readonly file: string;
  /** Where its name stands. A function, because to find out takes longer than to render the agent. */
  readonly position: () => SourcePosition;
}

/** How a fleet is rendered and laid out. */
export interface FleetOptions extends RenderOptions {
  /** @default 'FILE_PER_CHART' */
  readonly layout?: Layout;
}

/** A whole rendered tree. Nothing of it is to be written if there are problems. */
export interface RenderedFleet {
  /** Path below the output folder, with `/`, to content in UTF-8; the index of the tree included. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly problems: readonly Problem[];
}

/** One file while it is put together. */
interface OpenFile {
  readonly sources: Set<string>;
  readonly bodies: string[];
}

/** Renders agents to a tree of files: one folder for each namespace, a kustomization in each folder, an index. */
export function renderFleet(agents: readonly SourcedAgent[], options: FleetOptions = {}): RenderedFleet {
  const duplicates = duplicateAgents(agents);
  if (duplicates.length > 0) return { files: new Map(), problems: duplicates };
  const sorted = [...agents].sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
  const claimed = new Map<string, SourcedAgent>();
  const problems: Problem[] = [];
  const files = new Map<string, Uint8Array>();
  const encoder = new TextEncoder();
  const open = new Map<string, OpenFile>();
  const close = (): void => {
    // Encoded at once: a string with one character beyond Latin-1 takes twice the memory.
    for (const [path, file] of open) files.set(path, encoder.encode(fileText(file)));
    open.clear();
  };
  let folder = '';
  for (const sourced of sorted) {
    const manifests = renderAgent(sourced.agent, options);
    problems.push(...claimIdentities(claimed, manifests, sourced));
    const next = `${sourced.agent.namespace}/${AGENTS_FOLDER}`;
    if (next !== folder || options.layout !== 'FILE_PER_APP') close();
    folder = next;
    for (const { path, manifests: held } of agentFiles(
      sourced.agent.name,
      manifests,
      options.layout ?? DEFAULT_LAYOUT,
    )) {
      addTo(open, `${folder}/${path}`, sourced.file, held);
    }
  }
  close();
  for (const [path, text] of kustomizations(files.keys())) files.set(path, encoder.encode(text));
  files.set(TREE_INDEX, encoder.encode(treeIndex(files.keys())));
  return { files, problems };
}

function sortKey({ agent }: SourcedAgent): string {
  return `${agent.namespace}/${agent.name}`;
}

function addTo(open: Map<string, OpenFile>, path: string, source: string, manifests: readonly KubeManifest[]): void {
  const file = open.get(path) ?? { sources: new Set(), bodies: [] };
  open.set(path, file);
  file.sources.add(source);
  for (const manifest of manifests) file.bodies.push(toYaml(manifest));
}

function fileText({ sources, bodies }: OpenFile): string {
  return manifestHeader([...sources].sort()) + bodies.map((body) => `---\n${body}`).join('');
}

/** Two agents of one namespace and name, wherever they are written. */
function duplicateAgents(agents: readonly SourcedAgent[]): readonly Problem[] {
  const first = new Map<string, SourcedAgent>();
  return agents.flatMap((sourced): Problem[] => {
    const key = sortKey(sourced);
    const earlier = first.get(key);
    if (earlier === undefined) {
      first.set(key, sourced);
      return [];
    }
    return [
      {
        severity: 'error',
        rule: 'DuplicateAgent',
        path: ['metadata', 'name'],
        message: `${key} is already written in ${formatPlace(earlier.position())}`,
        hint: 'give one of them another name or namespace, or remove it',
        position: sourced.position(),
      },
    ];
  });
}

/** Two objects of one identity, from whichever agents: an engine would apply one over the other without end. */
function claimIdentities(
  claimed: Map<string, SourcedAgent>,
  manifests: readonly KubeManifest[],
  sourced: SourcedAgent,
): readonly Problem[] {
  return manifests.flatMap(({ apiVersion, kind, metadata }): Problem[] => {
    const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
    const identity = `${group}/${kind}/${metadata.namespace ?? ''}/${metadata.name}`;
    const earlier = claimed.get(identity);
    claimed.set(identity, earlier ?? sourced);
    if (earlier === undefined) return [];
    const place = metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
    const message = `renders ${kind} ${place}, which ${formatPlace(earlier.position())} renders too`;
    return [
      { severity: 'error', rule: 'DuplicateObject', path: ['metadata', 'name'], message, position: sourced.position() },
    ];
  });
}

function formatPlace({ file, line, column }: SourcePosition): string {
  return `${file}:${line}:${column}`;
}
