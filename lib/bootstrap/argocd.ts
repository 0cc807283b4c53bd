import { AGENTS_FOLDER, RUNS_FOLDER } from '../emit/layout.js';
import { type BootstrapOptions, FOLDERS, repositoryPath } from './options.js';

const ARGOCD = 'argocd';

/** Lets go of an Application only when what it applied is gone. */
const CASCADE = 'resources-finalizer.argocd.argoproj.io';

/**
 * Without it a commit that could not be applied, for a namespace that is not there yet say, is never tried again. With
 * `refresh` (Argo CD 3.2) each try takes the newest commit; before that a fix waits until the tries are used up.
 */
const RETRY = { limit: 5, refresh: true, backoff: { duration: '5s', factor: 2, maxDuration: '3m' } };

/** Keeps the Applications themselves in line with Git, so that another namespace is a commit. */
export function argoCdRoot(options: BootstrapOptions): object {
  return application('hermes-fleet', repositoryPath(options, FOLDERS.engine), options, {});
}

/** Syncs the agents of the namespace. */
export function argoCdAgents(options: BootstrapOptions): object {
  const { namespace } = options;
  const path = repositoryPath(options, FOLDERS.rendered, namespace, AGENTS_FOLDER);
  return application(`hermes-${namespace}-agents`, path, options, OF_NAMESPACE);
}

/** Syncs the runs of the namespace, apart from the agents, whose health a failed run must not change. */
export function argoCdRuns(options: BootstrapOptions): object {
  const { namespace } = options;
  const path = repositoryPath(options, FOLDERS.rendered, namespace, RUNS_FOLDER);
  return application(`hermes-${namespace}-runs`, path, options, OF_NAMESPACE);
}

/** The last agent of a namespace may leave Git as any other does, and so may the last run. */
const OF_NAMESPACE: ApplicationSettings = { cascade: true, allowEmpty: true };

interface ApplicationSettings {
  /** Deleting the Application deletes what it applied. */
  readonly cascade?: boolean;
  /** No object at all is a state like any other; without it Argo CD takes that for a mistake and prunes nothing. */
  readonly allowEmpty?: boolean;
}

function application(
  name: string,
  path: string,
  { repoUrl = '', branch }: BootstrapOptions,
  { cascade = false, allowEmpty = false }: ApplicationSettings,
): object {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: ARGOCD, ...(cascade && { finalizers: [CASCADE] }) },
    spec: {
      project: 'default',
      source: { repoURL: repoUrl, targetRevision: branch, path },
      destination: { server: 'https://kubernetes.default.svc' },
      syncPolicy: {
        automated: { prune: true, selfHeal: true, ...(allowEmpty && { allowEmpty }) },
        retry: RETRY,
      },
    },
  };
}
