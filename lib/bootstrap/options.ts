/** The engines that a repository can be laid out for. */
export const ENGINES = ['flux', 'argocd'] as const;

/** One of {@link ENGINES}. */
export type Engine = (typeof ENGINES)[number];

/** What is to be known of a repository before it can be laid out. */
export interface BootstrapOptions {
  readonly engine: Engine;
  /** Namespace of the first agent: a DNS label of at most {@link MAX_NAMESPACE} characters. */
  readonly namespace: string;
  /** Where the engine fetches the repository. Without it Flux uses its own; Argo CD cannot do without. */
  readonly repoUrl?: string;
  /** Branch that is synced. */
  readonly branch: string;
  /** Folder of the layout below the root of the repository, with `/`; empty for the root itself. */
  readonly path: string;
  /** Version of this package that the workflow renders with; another one may render other bytes. */
  readonly version: string;
}

/** Longest namespace: both engines write the name of what syncs it, `hermes-<namespace>-agents`, into a label. */
export const MAX_NAMESPACE = 63 - 'hermes--agents'.length;

/** Folders of the layout, below its path. */
export const FOLDERS = { inputs: 'agents', rendered: 'rendered', engine: 'gitops' } as const;

/** A path below the root of the repository. */
export function repositoryPath({ path }: BootstrapOptions, ...steps: readonly string[]): string {
  return [...(path === '' ? [] : [path]), ...steps].join('/');
}
