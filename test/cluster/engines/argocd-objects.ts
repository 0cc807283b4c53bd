import { argocdComponent } from '../../../charts/install/components/argocd.js';
import type { KubeManifest } from '../client.js';

/** Where Argo CD and its Applications live. */
export const ARGOCD_NAMESPACE = 'argocd';

const API_VERSION = 'argoproj.io/v1alpha1';

/** What Argo CD reads at its start, with the health checks of the install set among its settings. */
export function argoCdSettings(): readonly KubeManifest[] {
  const patch = argocdComponent.patches?.[0]?.patch as { readonly data: Readonly<Record<string, string>> };
  const configMaps: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'argocd-cm': patch.data,
    'argocd-cmd-params-cm': {},
    'argocd-rbac-cm': {},
    'argocd-ssh-known-hosts-cm': {},
    'argocd-tls-certs-cm': {},
    'argocd-gpg-keys-cm': {},
  };
  const metadata = (name: string): KubeManifest['metadata'] => ({
    name,
    namespace: ARGOCD_NAMESPACE,
    labels: { 'app.kubernetes.io/part-of': 'argocd' },
  });
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: ARGOCD_NAMESPACE } },
    ...Object.entries(configMaps).map(([name, data]) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: metadata(name),
      data,
    })),
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: metadata('argocd-secret'),
      stringData: { 'server.secretkey': 'of no use without a server' },
    },
  ];
}

/** The project that allows everything. */
export function defaultProject(): KubeManifest {
  return {
    apiVersion: API_VERSION,
    kind: 'AppProject',
    metadata: { name: 'default', namespace: ARGOCD_NAMESPACE },
    spec: {
      sourceRepos: ['*'],
      destinations: [{ namespace: '*', server: '*' }],
      clusterResourceWhitelist: [{ group: '*', kind: '*' }],
    },
  };
}

/** An Application that prunes and heals, over a whole repository. */
export function applicationOf(name: string, repoURL: string): KubeManifest {
  return {
    apiVersion: API_VERSION,
    kind: 'Application',
    metadata: { name, namespace: ARGOCD_NAMESPACE },
    spec: {
      project: 'default',
      source: { repoURL, targetRevision: 'main', path: '.' },
      destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
      syncPolicy: { automated: { prune: true, selfHeal: true } },
    },
  };
}
