import { LEASE_NAME } from '../../lib/api/identity.js';
import type { KubeApi } from '../../controller/kube/client.js';
import { findObject } from '../../controller/kube/object-requests.js';
import { objectPath, RESOURCES } from '../../controller/kube/resources.js';

interface Lease {
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly renewTime?: string;
    readonly leaseDurationSeconds?: number;
  };
}

/** The controller that holds the Lease now, by the clock of the API server; undefined when none does. */
export async function leaseHolder(api: KubeApi, namespace: string): Promise<string | undefined> {
  const path = objectPath(RESOURCES.leases, { namespace, name: LEASE_NAME });
  const lease = (await findObject(api, { path })) as Lease | undefined;
  const { holderIdentity = '', renewTime = '', leaseDurationSeconds = 0 } = lease?.spec ?? {};
  const isOver = !(Date.parse(renewTime) + leaseDurationSeconds * 1000 > api.now());
  return holderIdentity === '' || isOver ? undefined : holderIdentity;
}
