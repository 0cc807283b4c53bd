import { INSTALL_PART_OF } from '../../lib/api/identity.js';
import { carriesMark, TRACKING_MARKS, type TrackingMark } from '../../lib/api/tracking-marks.js';
import type { KubeApi } from '../../controller/kube/client.js';
import { hasStatusCode } from '../../controller/kube/errors.js';
import { listAll } from '../../controller/kube/list.js';
import { deleteRequest } from '../../controller/kube/object-requests.js';
import type { KubeObject } from '../../controller/kube/objects.js';
import { RESOURCES, type ResourceType } from '../../controller/kube/resources.js';

/** An object of the install set that is in the cluster. */
export interface InstalledObject {
  readonly resource: ResourceType;
  readonly object: KubeObject;
}

const policyResource = (plural: string, kind: string): ResourceType => ({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  plural,
  kind,
  namespaced: false,
});

const NAMESPACES: ResourceType = {
  group: '',
  version: 'v1',
  plural: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
};

/**
 * Kinds in the order of deleting. Policies go before rights, bindings before what they bind; the namespace takes the rest
 * with it.
 */
const KINDS: readonly ResourceType[] = [
  RESOURCES.deployments,
  policyResource('validatingadmissionpolicybindings', 'ValidatingAdmissionPolicyBinding'),
  policyResource('validatingadmissionpolicies', 'ValidatingAdmissionPolicy'),
  RESOURCES.clusterRoleBindings,
  RESOURCES.roleBindings,
  RESOURCES.clusterRoles,
  RESOURCES.roles,
  NAMESPACES,
];

/** What carries the label of the install set, in the order of deleting; Deployments in the controller's namespace alone. */
export async function installedObjects(api: KubeApi, controllerNamespace: string): Promise<readonly InstalledObject[]> {
  const lists = await Promise.all(
    KINDS.map(async (resource) => {
      const { items } = await listAll(
        api,
        {
          resource,
          labelSelector: INSTALL_PART_OF.join('='),
          metadataOnly: true,
          ...(resource === RESOURCES.deployments && { namespace: controllerNamespace }),
        },
        (item) => item as KubeObject,
      );
      return items.map((object): InstalledObject => ({ resource, object }));
    }),
  );
  return lists.flat();
}

/** Deletes an object, and what it owns; one that is gone, or was made again, is left alone. */
export async function remove(api: KubeApi, { resource, object }: InstalledObject): Promise<void> {
  try {
    await api.request(deleteRequest(resource, object.metadata));
  } catch (error) {
    if (!hasStatusCode(error, 404) && !hasStatusCode(error, 409)) throw error;
  }
}

/** The mark that says best who applies an object; undefined when it carries none. */
export function markOf({ object: { metadata } }: InstalledObject): TrackingMark | undefined {
  return TRACKING_MARKS.find(({ key }) => carriesMark(metadata, key));
}

/** `Deployment hermes-gitops-system/hermes-gitops-controller`. */
export function describeInstalled({ resource, object: { metadata } }: InstalledObject): string {
  const { namespace, name } = metadata;
  return `${resource.kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}
