import type { Volume, VolumeMount } from '../api/generated/types.js';
import type { ResolvedAgent } from '../api/hermes-agent.js';
import { homeClaimName } from './persistent-volume-claim.js';

/** Where the agent's home is. */
export const HOME_MOUNT: VolumeMount = { name: 'data', mountPath: '/opt/data' };

/** Shared memory: browsers that the agent drives need more than the 64 MiB of a container runtime. */
export const SHM_MOUNT: VolumeMount = { name: 'dshm', mountPath: '/dev/shm' };

/** The volume behind {@link SHM_MOUNT}. */
export const SHM_VOLUME: Volume = { name: SHM_MOUNT.name, emptyDir: { medium: 'Memory', sizeLimit: '1Gi' } };

/** Volumes of the pod: ours, then those of the spec in their order. */
export function podVolumes(agent: ResolvedAgent): readonly Volume[] {
  return [
    { name: HOME_MOUNT.name, persistentVolumeClaim: { claimName: homeClaimName(agent) } },
    SHM_VOLUME,
    ...(agent.spec.volumes ?? []),
  ];
}
