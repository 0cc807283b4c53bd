import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureBinaries, GITOPS_ENGINES } from '../binaries.js';
import { type KubeClient, type KubeManifest, pathOf } from '../client.js';
import type { Cluster } from '../cluster.js';
import { freePorts } from '../ports.js';
import { applicationOf, ARGOCD_NAMESPACE, argoCdSettings, defaultProject } from './argocd-objects.js';
import { installKind } from './custom-kinds.js';
import { deliveryOf } from './delivery.js';
import {
  type Delivery,
  type DeliveryStatus,
  type GitOpsEngine,
  type HostedRepository,
  SYNC_INTERVAL_SECONDS,
  type SyncedUnit,
} from './engine.js';
import { createGitRepository } from './git-repository.js';
import { readModuleFile } from './module-files.js';

const CRDS = ['application-crd.yaml', 'appproject-crd.yaml'];
const REFRESH = 'argocd.argoproj.io/refresh';

/** Runs Argo CD's application-controller and repo-server on a bed, with a cache beside them. */
export async function startArgoCd(cluster: Cluster): Promise<GitOpsEngine> {
  const { client } = cluster;
  const binaries = await ensureBinaries(GITOPS_ENGINES.filter(({ module }) => module !== 'flux'));
  for (const crd of CRDS) {
    const goModule = 'github.com/argoproj/argo-cd/v3';
    await installKind(client, await readModuleFile({ module: 'argocd', goModule, path: `manifests/crds/${crd}` }));
  }
  for (const object of [...argoCdSettings(), defaultProject()]) await client.apply(object);
  const folder = join(cluster.directory, 'argocd');
  const repositories = join(folder, 'repositories');
  await startPrograms(cluster, folder, { argocd: binaries['argocd'] ?? '', redis: binaries['redis'] ?? '' });
  return {
    name: 'Argo CD',
    host: (name) => hostedRepository(client, repositories, name),
    deliver: async (name) => deliver(client, await hostedRepository(client, repositories, name), name),
    unit: (name) => unitOf(client, name),
    stop: () => Promise.resolve(),
  };
}

async function startPrograms(
  cluster: Cluster,
  folder: string,
  { argocd, redis }: { readonly argocd: string; readonly redis: string },
): Promise<void> {
  const [cache, repo, repoMetrics, metrics] = (await freePorts(4)) as [number, number, number, number];
  const env = await environment(folder, cluster);
  await cluster.run({ name: 'redis', command: redis, args: [`127.0.0.1:${cache}`] });
  await cluster.run({
    name: 'argocd-repo-server',
    command: argocd,
    args: [
      '--address=127.0.0.1',
      `--port=${repo}`,
      '--metrics-address=127.0.0.1',
      `--metrics-port=${repoMetrics}`,
      '--disable-tls',
      `--redis=127.0.0.1:${cache}`,
      '--revision-cache-expiration=1s',
    ],
    env: { ...env, ARGOCD_BINARY_NAME: 'argocd-repo-server' },
  });
  await cluster.run({
    name: 'argocd-application-controller',
    command: argocd,
    args: [
      `--kubeconfig=${cluster.kubeconfig}`,
      `--namespace=${ARGOCD_NAMESPACE}`,
      `--redis=127.0.0.1:${cache}`,
      `--repo-server=127.0.0.1:${repo}`,
      '--repo-server-plaintext',
      `--metrics-port=${metrics}`,
      `--app-resync=${SYNC_INTERVAL_SECONDS}`,
      '--app-resync-jitter=0',
      '--persist-resource-health',
      // Tests undo things many times over; the pause that grows with each heal is for people.
      '--self-heal-backoff-timeout-seconds=1',
      '--self-heal-backoff-factor=1',
    ],
    env: {
      ...env,
      ARGOCD_BINARY_NAME: 'argocd-application-controller',
      ARGOCD_FAKE_IN_CLUSTER: 'true',
      KUBECONFIG: cluster.kubeconfig,
    },
  });
}

/** Everything that Argo CD keeps in files goes below a folder of the bed. */
async function environment(folder: string, cluster: Cluster): Promise<Readonly<Record<string, string>>> {
  const folders = {
    ARGOCD_TLS_DATA_PATH: join(folder, 'tls'),
    ARGOCD_SSH_DATA_PATH: join(folder, 'ssh'),
    ARGOCD_GNUPGHOME: join(folder, 'gnupg'),
    ARGOCD_GPG_DATA_PATH: join(folder, 'gpg'),
    ARGOCD_PLUGINSOCKFILEPATH: join(folder, 'plugins'),
    TMPDIR: join(folder, 'tmp'),
  };
  const programs = join(folder, 'bin');
  for (const each of [...Object.values(folders), programs, join(folder, 'repositories')]) {
    await mkdir(each, { recursive: true });
  }
  await writeFile(join(folder, 'ssh', 'ssh_known_hosts'), '');
  // The image of Argo CD has the program kustomize; the same code is in kubectl.
  await writeFile(join(programs, 'kustomize'), kustomizeScript(cluster.binaries['kubectl'] ?? 'kubectl'));
  await chmod(join(programs, 'kustomize'), 0o755);
  return {
    ...folders,
    ARGOCD_ASK_PASS_SOCK: join(folder, 'ask-pass.sock'),
    ARGOCD_GPG_ENABLED: 'false',
    GIT_CONFIG_GLOBAL: '/dev/null',
    PATH: `${programs}:${process.env['PATH'] ?? ''}`,
  };
}

function kustomizeScript(kubectl: string): string {
  return `#!/bin/sh\n[ "$1" = build ] && shift && exec '${kubectl}' kustomize "$@"\necho v5.8.0\n`;
}

async function hostedRepository(client: KubeClient, folder: string, name: string): Promise<HostedRepository> {
  const repository = await createGitRepository(folder, name);
  const { url } = repository;
  return {
    url,
    commit: (files) => repository.commit(files),
    announce: async () => {
      const applications = await client.list(`/apis/argoproj.io/v1alpha1/namespaces/${ARGOCD_NAMESPACE}/applications`);
      const mine = applications.filter(
        ({ spec }) => (spec as { readonly source: SourceOfApplication }).source.repoURL === url,
      );
      for (const { metadata } of mine) {
        await refresh(client, metadata.name, 'hard');
      }
    },
  };
}

interface SourceOfApplication {
  readonly repoURL: string;
}

function deliver(client: KubeClient, repository: HostedRepository, name: string): Delivery {
  const application = applicationOf(name, repository.url);
  let isApplied = false;
  return deliveryOf({
    unit: unitOf(client, name),
    publish: async (files) => {
      const commit = await repository.commit(files);
      if (!isApplied) await client.apply(application);
      isApplied = true;
      await repository.announce();
      return commit;
    },
    comparison: async () => {
      const { status = {} } = await client.get(pathOf(application));
      const { resources = [] } = status as ApplicationStatus;
      return new Map(
        resources.map(({ kind, namespace, name: object, status: verdict }) => [
          `${kind} ${namespace === undefined ? '' : `${namespace}/`}${object}`,
          verdict === 'Synced',
        ]),
      );
    },
  });
}

function unitOf(client: KubeClient, name: string): SyncedUnit {
  return {
    name: `Application ${name}`,
    status: async () => readStatus(await client.get(pathOf(applicationOf(name, '')))),
    refresh: async () => {
      const { metadata } = await client.get(pathOf(applicationOf(name, '')));
      // One that is asked for already may be a hard one.
      if (metadata.annotations?.[REFRESH] === undefined) await refresh(client, name, 'normal');
    },
  };
}

/** `hard` has the manifests read from Git anew, `normal` only compared with the cluster. */
async function refresh(client: KubeClient, name: string, how: 'normal' | 'hard'): Promise<void> {
  await client.mergePatch(pathOf(applicationOf(name, '')), { metadata: { annotations: { [REFRESH]: how } } });
}

interface ApplicationStatus {
  readonly sync?: { readonly status: string; readonly revision?: string };
  readonly health?: { readonly status?: string };
  readonly operationState?: { readonly phase: string; readonly message?: string };
  readonly conditions?: readonly { readonly type: string; readonly message: string }[];
  readonly resources?: readonly {
    readonly kind: string;
    readonly namespace?: string;
    readonly name: string;
    readonly status?: string;
    readonly health?: { readonly status?: string; readonly message?: string };
  }[];
  readonly reconciledAt?: string;
}

function readStatus({ status = {} }: KubeManifest): DeliveryStatus {
  const {
    sync,
    health,
    operationState,
    conditions = [],
    resources = [],
    reconciledAt = '',
  } = status as ApplicationStatus;
  const notable = resources.filter((each) => each.status === 'OutOfSync' || !isFine(each.health?.status ?? 'Healthy'));
  return {
    revision: sync?.revision,
    isSynced: sync?.status === 'Synced' && operationState?.phase === 'Succeeded',
    isHealthy: isFine(health?.status),
    message: [
      health?.status ?? 'Unknown',
      operationState?.message ?? '',
      ...conditions.map(({ type, message }) => `${type}: ${message}`),
      ...notable.map(
        (each) =>
          `${each.kind} ${each.name} ${each.status ?? ''} ${each.health?.status ?? ''}: ${each.health?.message ?? ''}`,
      ),
    ].join('; '),
    pass: reconciledAt,
  };
}

function isFine(health: string | undefined): boolean {
  return health === 'Healthy' || health === 'Suspended';
}
