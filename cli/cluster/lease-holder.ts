import type { KubeApi } from '../../controller/kube/client.js';
import { hasStatusCode } from '../../controller/kube/errors.js';
import { objectPath, RESOURCES } from '../../controller/kube/resources.js';

/** Name of the controller's Lease. */
export const LEASE_NAME = 'hermes-gitops-controller';

interface Lease {
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly renewTime?: string;
    readonly leaseDurationSeconds?: number;
  };
}

/** The controller that holds the Lease now, by the clock of the API server; undefined when none does. */
export async function leaseHolder(api: KubeApi, namespace: string): Promise<string | undefined> {
  try {
    const path = objectPath(RESOURCES.leases, { namespace, name: LEASE_NAME });
    const { spec } = (await api.request({ method: 'GET', path })) as Lease;
    const { holderIdentity = '', renewTime = '', leaseDurationSeconds = 0 } = spec ?? {};
    const isOver = !(Date.parse(renewTime) + leaseDurationSeconds * 1000 > api.now());
    return holderIdentity === '' || isOver ? undefined : holderIdentity;
  } catch (error) {
    if (hasStatusCode(error, 404)) return undefined;
    throw error;
  }
}
