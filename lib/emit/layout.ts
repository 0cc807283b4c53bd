import type { KubeManifest } from '../children/manifest.js';

/** How manifests are spread over files. The words are those of cdk8s's output types; a chart is an agent here. */
export const LAYOUTS = [
  'FILE_PER_CHART',
  'FILE_PER_APP',
  'FILE_PER_RESOURCE',
  'FOLDER_PER_CHART_FILE_PER_RESOURCE',
] as const;

/** One of {@link LAYOUTS}. */
export type Layout = (typeof LAYOUTS)[number];

/** The layout when none is asked for: one file for each agent. */
export const DEFAULT_LAYOUT: Layout = 'FILE_PER_CHART';

/** Name of the file that lists a folder for kustomize. */
export const KUSTOMIZATION = 'kustomization.yaml';

/** Folder of a namespace that holds its agents. Runs have one of their own, so that no engine waits for both. */
export const AGENTS_FOLDER = 'agents';

/** Folder of a namespace that holds its runs. */
export const RUNS_FOLDER = 'runs';

/**
 * Path of the file of a run below the output folder. One file for each run in every layout: it is kept as it is once it
 * is written.
 */
export function runFilePath({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  const file = `${name}.yaml` === KUSTOMIZATION ? `${name}.run.yaml` : `${name}.yaml`;
  return `${namespace}/${RUNS_FOLDER}/${file}`;
}

/** One file of an agent: its path below the folder of the namespace's agents, and what it holds. */
export interface AgentFile {
  readonly path: string;
  readonly manifests: readonly KubeManifest[];
}

/** The files of one agent. In `FILE_PER_APP` all agents of a namespace name the same one. */
export function agentFiles(name: string, manifests: readonly KubeManifest[], layout: Layout): readonly AgentFile[] {
  switch (layout) {
    case 'FILE_PER_CHART':
      return [{ path: agentFileName(name), manifests }];
    case 'FILE_PER_APP':
      return [{ path: 'app.yaml', manifests }];
    case 'FILE_PER_RESOURCE':
      return manifests.map((manifest) => ({ path: resourceFileName(manifest), manifests: [manifest] }));
    case 'FOLDER_PER_CHART_FILE_PER_RESOURCE':
      return manifests.map((manifest) => ({ path: `${name}/${resourceFileName(manifest)}`, manifests: [manifest] }));
  }
}

/** Only an agent called like the folder's own list needs another name; a dot cannot be part of an agent's name. */
function agentFileName(name: string): string {
  return `${name}.yaml` === KUSTOMIZATION ? `${name}.agent.yaml` : `${name}.yaml`;
}

function resourceFileName({ kind, metadata }: KubeManifest): string {
  return `${kind.toLowerCase()}.${metadata.name}.yaml`;
}
