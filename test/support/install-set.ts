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

/** Applies the base to a cluster, and resolves with what the API server answered about each object. */
export async function applyInstallSet(
  client: KubeClient,
  options: InstallOptions = {},
): Promise<ReadonlyMap<string, KubeAnswer>> {
  const answers = new Map<string, KubeAnswer>();
  for (const [path, object] of installObjects(options)) {
    answers.set(path, await client.apply(object, { fieldManager: 'install', force: true }));
  }
  await waitForBindingLists(client, options);
  return answers;
}

/** The API server takes up a new policy, and the lists that it reads, seconds after it has accepted them. */
async function waitForBindingLists(client: KubeClient, options: InstallOptions): Promise<void> {
  const isTaken = async (role: string): Promise<boolean> => {
    const answer = await client.request(applyRequest(agentBinding(role), { dryRun: true }));
    return answer.statusCode < 300;
  };
  await waitFor(
    async () => {
      if (await isTaken('on-no-list')) return false;
      const taken = await Promise.all((options.allowedClusterRoles ?? []).map(isTaken));
      return taken.every(Boolean);
    },
    { timeoutMs: 90_000, what: 'the policy on bindings to be in force with its lists' },
  );
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
