import https from 'node:https';
import { serviceAccountToken } from '../cluster/bed.js';
import { type KubeClient, type KubeManifest, pathOf } from '../cluster/client.js';
import { renderedAgent, type Gates } from './agents-on-bed.js';

/** A ClusterRole that the install set of a suite lets agents be bound to. */
export const READER_ROLE = 'rights-reader';

/** What a suite with {@link wholeAgent} allows. */
export const WHOLE_GATES: Gates = { allowedClusterRoles: [READER_ROLE], allowedBindingNamespaces: [] };

/** What an agent refers to that uses everything, and what it renders to: every child that there is. */
export function wholeAgent(
  name: string,
  namespace: string,
): { readonly beside: readonly KubeManifest[]; readonly objects: readonly KubeManifest[] } {
  const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole' };
  const spec = {
    storage: { persistentVolumeClaim: claim, retainPolicy: 'Delete' },
    env: [{ name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'all', key: 'token' } } }],
    dashboard: { enabled: true, ingress: { enabled: true, host: 'all.example.net', ingressClassName: 'any' } },
    networkPolicy: { enabled: true, policyTypes: ['Egress'], egress: [{}] },
    rbac: {
      roleBindings: [{ namespace, roleRef: { ...roleRef, name: 'view' } }],
      clusterRoleBindings: [{ roleRef: { ...roleRef, name: READER_ROLE } }],
    },
  };
  return {
    beside: [
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name: READER_ROLE },
        rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['get'] }],
      },
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'all', namespace }, stringData: { token: 'x' } },
    ],
    objects: renderedAgent(name, namespace, spec, WHOLE_GATES),
  };
}

/** What secure metrics answer to nobody, to an account without the right, and to one with it. */
export async function scrapeCodes(
  client: KubeClient,
  namespace: string,
  url: string,
): Promise<Readonly<Record<string, number>>> {
  for (const name of ['stranger', 'reader']) {
    await client.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } });
  }
  const binding: KubeManifest = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: `reader-${namespace}` },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'hermes-gitops-metrics-reader' },
    subjects: [{ kind: 'ServiceAccount', name: 'reader', namespace }],
  };
  await client.apply(binding);
  try {
    return {
      anonymous: await statusCode(url),
      stranger: await statusCode(url, await serviceAccountToken(client, namespace, 'stranger')),
      reader: await statusCode(url, await serviceAccountToken(client, namespace, 'reader')),
    };
  } finally {
    await client.delete(pathOf(binding));
  }
}

/** The certificate is the controller's own, made at its start. */
function statusCode(url: string, token?: string): Promise<number> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    https
      .get(url.replace('http:', 'https:'), { agent: false, rejectUnauthorized: false, headers }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      })
      .on('error', reject);
  });
}
