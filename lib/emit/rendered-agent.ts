import type { ResolvedAgent } from '../api/hermes-agent.js';
import type { KubeManifest } from '../children/manifest.js';
import { renderAgent, type RenderOptions } from '../children/render-agent.js';
import type { FormerRun } from '../runs/former-run.js';
import type { ResolveOptions } from '../runs/resolve-run.js';
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
  /**
   * What a run was rendered to before, or undefined: it stays so. {@link formerRuns} reads it from an output folder.
   * @default - nothing: every run is rendered anew
   */
  readonly former?: (run: RunName) => FormerRun | undefined;
  /**
   * What becomes of a run whose spec is not the one that it was rendered from.
   * @default 'refused'
   */
  readonly changed?: ResolveOptions['changed'];
}

/** Which run is meant. */
export interface RunName {
  readonly namespace: string;
  readonly name: string;
}

/** What one agent or run adds to a file: all of it, unless the layout puts several agents into one. */
export interface RenderedFile {
  readonly path: string;
  /** In UTF-8, with a header that names the agent's source alone. */
  readonly content: Uint8Array;
  readonly headerLength: number;
}

/** All that a tree needs of an agent or a run. It is far smaller than either, so that a large fleet fits into memory. */
export interface RenderedUnit {
  readonly kind: 'agent' | 'run';
  readonly namespace: string;
  readonly name: string;
  readonly source: string;
  /** `<group>/<kind>/<namespace>/<name>` of every object. */
  readonly identities: readonly string[];
  readonly files: readonly RenderedFile[];
}

/** Renders one agent to its files. */
export function renderAgentFiles(agent: ResolvedAgent, source: string, options: FleetOptions): RenderedUnit {
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
  return { kind: 'agent', namespace, name, source, identities: manifests.map(identityOf), files };
}

/** `<group>/<kind>/<namespace>/<name>` of an object. */
export function identityOf({ apiVersion, kind, metadata }: KubeManifest): string {
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  return `${group}/${kind}/${metadata.namespace ?? ''}/${metadata.name}`;
}
