import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fluxAgents } from '../../../lib/bootstrap/flux.js';
import { ensureBinaries, GITOPS_ENGINES } from '../binaries.js';
import { type KubeClient, type KubeManifest, pathOf } from '../client.js';
import type { Cluster } from '../cluster.js';
import { freePorts } from '../ports.js';
import { waitFor } from '../wait.js';
import { type ArtifactServer, startArtifactServer } from './artifact-server.js';
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
import { readModuleFile } from './module-files.js';

const NAMESPACE = 'flux-system';
const SOURCE = 'source.toolkit.fluxcd.io';

/**
 * Runs Flux's kustomize-controller on a bed. There is no source-controller: its part, an archive for each revision and
 * the status that names it, is played here.
 */
export async function startFlux(cluster: Cluster): Promise<GitOpsEngine> {
  const { client } = cluster;
  const { 'kustomize-controller': command = '' } = await ensureBinaries(
    GITOPS_ENGINES.filter(({ module }) => module === 'flux'),
  );
  await installKind(
    client,
    await readModuleFile({
      module: 'flux',
      goModule: 'github.com/fluxcd/kustomize-controller',
      path: 'config/crd/bases/kustomize.toolkit.fluxcd.io_kustomizations.yaml',
    }),
  );
  await installKind(client, sourceKind());
  // The kinds of source that it also watches; without them it does not start.
  await installKind(client, sourceKind('OCIRepository'));
  await installKind(client, sourceKind('Bucket'));
  await client.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  const [metrics, health] = (await freePorts(2)) as [number, number];
  await cluster.run({
    name: 'kustomize-controller',
    command,
    args: [
      `--metrics-addr=127.0.0.1:${metrics}`,
      `--health-addr=127.0.0.1:${health}`,
      '--events-addr=',
      '--kube-api-qps=500',
      '--kube-api-burst=1000',
    ],
    env: { RUNTIME_NAMESPACE: NAMESPACE, KUBECONFIG: cluster.kubeconfig },
  });
  const server = await startArtifactServer();
  const log = join(cluster.directory, 'kustomize-controller.log');
  return {
    name: 'Flux',
    host: (name) => Promise.resolve(hostedRepository(client, server, name)),
    deliver: (name) => deliver(client, hostedRepository(client, server, name), { name, log }),
    unit: (name) => unitOf(client, name),
    stop: () => server.stop(),
  };
}

function hostedRepository(client: KubeClient, server: ArtifactServer, name: string): HostedRepository {
  const url = `https://git.example.net/${name}.git`;
  let count = 0;
  let newest: object | undefined;
  return {
    url,
    commit: async (files) => {
      const commit = createHash('sha1').update(`${name} ${++count}`).digest('hex');
      const revision = `main@sha1:${commit}`;
      newest = { ...(await server.publish(`${name}/${commit}.tar.gz`, files)), revision };
      return revision;
    },
    announce: async () => {
      const sources = await waitFor(
        async () => {
          const all = await client.list(`/apis/${SOURCE}/v1/gitrepositories`);
          const mine = all.filter(({ spec }) => (spec as { readonly url: string }).url === url);
          return mine.length > 0 && mine;
        },
        { what: `a source of ${url}` },
      );
      for (const { metadata } of sources) {
        const source = { apiVersion: `${SOURCE}/v1`, kind: 'GitRepository', metadata };
        await waitFor(() => publishArtifact(client, source, newest ?? {}), { what: 'the revision' });
      }
    },
  };
}

async function deliver(
  client: KubeClient,
  repository: HostedRepository,
  { name, log }: { readonly name: string; readonly log: string },
): Promise<Delivery> {
  await client.apply({
    apiVersion: `${SOURCE}/v1`,
    kind: 'GitRepository',
    metadata: { name, namespace: NAMESPACE },
    spec: { url: repository.url, interval: '1h', ref: { branch: 'main' } },
  });
  await client.apply(kustomizationOf(name));
  return deliveryOf({
    unit: unitOf(client, name),
    publish: async (files) => {
      const revision = await repository.commit(files);
      await repository.announce();
      return revision;
    },
    comparison: async () => comparisonIn(await readFile(log, 'utf8'), name),
  });
}

function unitOf(client: KubeClient, name: string): SyncedUnit {
  const path = pathOf(kustomizationOf(name));
  return {
    name: `Kustomization ${name}`,
    status: async () => readStatus(await client.get(path)),
    refresh: async () => {
      // As `flux reconcile` does it.
      const annotations = { 'reconcile.fluxcd.io/requestedAt': new Date().toISOString() };
      await client.mergePatch(path, { metadata: { annotations } });
    },
  };
}

/** What the newest pass over a Kustomization found of each object, from the log, which is where Flux says it. */
function comparisonIn(log: string, name: string): ReadonlyMap<string, boolean> {
  const line = log
    .split('\n')
    .filter((text) => text.includes('server-side apply completed') && text.includes(`"name":"${name}"`))
    .at(-1);
  const { output = {} } = JSON.parse(line ?? '{}') as { readonly output?: Readonly<Record<string, string>> };
  return new Map(
    Object.entries(output).map(([object, action]) => {
      const [kind = '', ...place] = object.split('/');
      return [`${kind} ${place.join('/')}`, action === 'unchanged'];
    }),
  );
}

async function publishArtifact(client: KubeClient, source: KubeManifest, artifact: object): Promise<KubeManifest> {
  const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  return client.mergePatch(`${pathOf(source)}/status`, {
    status: {
      observedGeneration: 1,
      artifact: { ...artifact, lastUpdateTime: now },
      conditions: [{ type: 'Ready', status: 'True', reason: 'Succeeded', message: 'stored', lastTransitionTime: now }],
    },
  });
}

/** The Kustomization that a new repository begins with, on a repository of its own and in a hurry. */
function kustomizationOf(name: string): KubeManifest {
  const options = { engine: 'flux', namespace: name, branch: 'main', path: '', version: '' } as const;
  const laidOut = fluxAgents(options) as KubeManifest;
  return {
    ...laidOut,
    metadata: { name, namespace: NAMESPACE },
    spec: {
      ...(laidOut['spec'] as object),
      sourceRef: { kind: 'GitRepository', name },
      path: './',
      interval: `${SYNC_INTERVAL_SECONDS}s`,
      retryInterval: `${SYNC_INTERVAL_SECONDS}s`,
      timeout: '20s',
    },
  };
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

interface KustomizationStatus {
  readonly lastAttemptedRevision?: string;
  readonly lastAppliedRevision?: string;
  readonly conditions?: readonly Condition[];
  readonly history?: readonly { readonly lastReconciled: string; readonly totalReconciliations: number }[];
}

function readStatus(kustomization: KubeManifest): DeliveryStatus {
  const status = (kustomization['status'] ?? {}) as KustomizationStatus;
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  const latest = status.history?.[0];
  const isHealthy = ready?.status === 'True' && status.lastAppliedRevision === status.lastAttemptedRevision;
  return {
    revision: status.lastAttemptedRevision,
    isSynced: isHealthy || isAppliedWithoutHealth(status.conditions ?? []),
    isHealthy,
    message: ready === undefined ? '' : `${ready.reason}: ${ready.message}`,
    pass: latest === undefined ? '' : `${latest.lastReconciled} ${latest.totalReconciliations}`,
  };
}

/** A revision counts as attempted once it is fetched; that it was applied shows in the wait for health, or in its end. */
function isAppliedWithoutHealth(conditions: readonly Condition[]): boolean {
  const reconciling = conditions.find(({ type }) => type === 'Reconciling');
  if (reconciling?.reason === 'Progressing') return reconciling.message.startsWith('Running health checks');
  return conditions.some(({ type, reason }) => type === 'Ready' && reason === 'HealthCheckFailed');
}

/** As much of a source's kind as a kustomize-controller reads. */
function sourceKind(kind = 'GitRepository'): KubeManifest {
  const singular = kind.toLowerCase();
  const plural = singular.endsWith('y') ? `${singular.slice(0, -1)}ies` : `${singular}s`;
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: open, status: open } } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${SOURCE}` },
    spec: {
      group: SOURCE,
      scope: 'Namespaced',
      names: { kind, plural, singular, listKind: `${kind}List` },
      versions: [{ name: 'v1', served: true, storage: true, schema, subresources: { status: {} } }],
    },
  };
}
