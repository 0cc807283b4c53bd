import { App } from 'cdk8s';
import { InstallSet } from '../../charts/install/install-set.js';
import { SYSTEM_NAMESPACE } from '../../charts/install/names.js';
import type { InstallOptions } from '../../charts/install/options.js';
import { applyRequest, type KubeAnswer, type KubeClient, type KubeManifest, pathOf } from '../cluster/client.js';
import { waitFor } from '../cluster/wait.js';

/** The objects of the base by the path of their file. */
export function installObjects(options: InstallOptions = {}): ReadonlyMap<string, KubeManifest> {
  const { objects } = new InstallSet(new App(), 'install', options);
  return new Map([...objects].map(([path, object]) => [path, object.toJson() as KubeManifest]));
}

/**
 * Applies the base to a cluster, but for the files named by `without`, and resolves with what the API server answered
 * about each object.
 */
export async function applyInstallSet(
  client: KubeClient,
  options: InstallOptions = {},
  { without = [] }: { readonly without?: readonly string[] } = {},
): Promise<ReadonlyMap<string, KubeAnswer>> {
  const { namespace, ...others } = Object.fromEntries(installObjects(options));
  const apply = (object: KubeManifest): Promise<KubeAnswer> =>
    client.apply(object, { fieldManager: 'install', force: true });
  if (namespace === undefined) throw new Error('the install set has no namespace');
  const first = await apply(namespace);
  const wanted = Object.entries(others).filter(([path]) => !without.includes(path));
  const answers = await Promise.all(wanted.map(async ([path, object]) => [path, await apply(object)] as const));
  await waitForBindingLists(client, options);
  return new Map([['namespace', first], ...answers]);
}

/** The API server takes up a new policy a moment after it has accepted it. */
async function waitForBindingLists(client: KubeClient, options: InstallOptions): Promise<void> {
  await waitFor(
    async () => {
      if (await isTaken(client, 'on-no-list')) return false;
      const roles = options.allowedClusterRoles ?? [];
      const taken = await Promise.all(roles.map((role) => isTaken(client, role)));
      return taken.every(Boolean);
    },
    { timeoutMs: 90_000, what: 'the policy on bindings to be in force with its lists' },
  );
}

/** Whether an agent may be bound to this ClusterRole in the whole cluster. */
async function isTaken(client: KubeClient, role: string): Promise<boolean> {
  const answer = await client.request(applyRequest(agentBinding(role), { dryRun: true }));
  return answer.statusCode < 300;
}

/** Takes the policies away, and resolves when they hold nobody back any more: the next suite may mean other lists. */
export async function withdrawPolicies(client: KubeClient): Promise<void> {
  const policies = [...installObjects()].filter(([path]) => path.startsWith('policies/')).map(([, object]) => object);
  for (const policy of policies.reverse()) await client.delete(pathOf(policy));
  await waitFor(() => isTaken(client, 'on-no-list'), { what: 'the policies to be out of force' });
}

function agentBinding(role: string): KubeManifest {
  const apiGroup = 'rbac.authorization.k8s.io';
  return {
    apiVersion: `${apiGroup}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: 'hermes-lists-probe' },
    roleRef: { apiGroup, kind: 'ClusterRole', name: role },
    subjects: [{ kind: 'ServiceAccount', name: 'hermes-probe', namespace: 'default' }],
  };
}

/** Takes the base away again, the kinds excepted, and resolves when the namespace is gone. */
export async function removeInstallSet(client: KubeClient): Promise<void> {
  const objects = [...installObjects().values()].filter(({ kind }) => kind !== 'CustomResourceDefinition').reverse();
  for (const object of objects) await client.delete(pathOf(object));
  const namespace = `/api/v1/namespaces/${SYSTEM_NAMESPACE}`;
  await waitFor(async () => (await client.find(namespace)) === undefined, { what: 'the namespace to go' });
}
