import type { ResolvedAgent } from '../api/hermes-agent.js';
import type { KubeManifest } from '../children/manifest.js';
import { renderAgent, type RenderOptions } from '../children/render-agent.js';
import type { SourcePosition } from '../validation/problem.js';
import { manifestHeader } from './header.js';
import { agentFiles, AGENTS_FOLDER, DEFAULT_LAYOUT, type Layout } from './layout.js';
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

/** What one agent adds to a file: all of it, unless the layout puts several agents into one. */
export interface RenderedFile {
  readonly path: string;
  /** In UTF-8, with a header that names the agent's source alone. */
  readonly content: Uint8Array;
  readonly headerLength: number;
}

/** All that a tree needs of an agent. It is far smaller than the agent, so that a large fleet fits into memory. */
export interface RenderedAgent {
  readonly namespace: string;
  readonly name: string;
  readonly source: string;
  /** `<group>/<kind>/<namespace>/<name>` of every object. */
  readonly identities: readonly string[];
  readonly files: readonly RenderedFile[];
}

/** Renders one agent to its files. */
export function renderAgentFiles(agent: ResolvedAgent, source: string, options: FleetOptions): RenderedAgent {
  const { namespace, name } = agent;
  const manifests = renderAgent(agent, options);
  const header = manifestHeader([source]);
  const headerLength = Buffer.byteLength(header);
  const bodies = new Map<string, string>();
  for (const { path, manifests: held } of agentFiles(name, manifests, options.layout ?? DEFAULT_LAYOUT)) {
    const body = held.map((manifest) => `---\n${toYaml(manifest)}`).join('');
    bodies.set(path, (bodies.get(path) ?? '') + body);
  }
  const encoder = new TextEncoder();
  const files = [...bodies].map(([path, body]) => ({
    path: `${namespace}/${AGENTS_FOLDER}/${path}`,
    // Encoded at once: a string with one character beyond Latin-1 takes twice the memory.
    content: encoder.encode(header + body),
    headerLength,
  }));
  return { namespace, name, source, identities: manifests.map(identityOf), files };
}

function identityOf({ apiVersion, kind, metadata }: KubeManifest): string {
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  return `${group}/${kind}/${metadata.namespace ?? ''}/${metadata.name}`;
}
