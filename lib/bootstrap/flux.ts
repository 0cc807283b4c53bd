import { FLUX_HEALTH_CHECKS } from './flux-health.js';
import { type BootstrapOptions, FOLDERS, repositoryPath } from './options.js';
import { AGENTS_FOLDER, RUNS_FOLDER } from '../emit/layout.js';

/** Namespace that Flux runs in, and name of the source that `flux bootstrap` makes there. */
const FLUX = 'flux-system';
const OWN_SOURCE = 'hermes-fleet';

/** The source, where the repository is not the one that Flux was bootstrapped from. */
export function fluxSource({ repoUrl, branch }: BootstrapOptions): object | undefined {
  if (repoUrl === undefined) return undefined;
  return {
    apiVersion: 'source.toolkit.fluxcd.io/v1',
    kind: 'GitRepository',
    metadata: { name: OWN_SOURCE, namespace: FLUX },
    spec: { url: repoUrl, ref: { branch }, interval: '1m' },
  };
}

/** Keeps the objects of the engine itself in line with Git, so that another namespace is a commit. */
export function fluxRoot(options: BootstrapOptions): object {
  return kustomization('hermes-fleet', repositoryPath(options, FOLDERS.engine), options, { wait: false });
}

/** Syncs the agents of the namespace and is Ready when all of them are. */
export function fluxAgents(options: BootstrapOptions): object {
  const { namespace } = options;
  const path = repositoryPath(options, FOLDERS.rendered, namespace, AGENTS_FOLDER);
  return kustomization(`hermes-${namespace}-agents`, path, options, {
    wait: true,
    timeout: '15m',
    healthCheckExprs: FLUX_HEALTH_CHECKS,
  });
}

/** Syncs the runs of the namespace and waits for none: a long or a failed one must hold back no commit. */
export function fluxRuns(options: BootstrapOptions): object {
  const { namespace } = options;
  const path = repositoryPath(options, FOLDERS.rendered, namespace, RUNS_FOLDER);
  return kustomization(`hermes-${namespace}-runs`, path, options, { wait: false });
}

function kustomization(name: string, path: string, { repoUrl }: BootstrapOptions, settings: object): object {
  return {
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    metadata: { name, namespace: FLUX },
    spec: {
      sourceRef: { kind: 'GitRepository', name: repoUrl === undefined ? FLUX : OWN_SOURCE },
      path: `./${path}`,
      interval: '10m',
      retryInterval: '1m',
      prune: true,
      ...settings,
    },
  };
}
