import { HOME_MOUNT, SHM_MOUNT } from '../../children/volumes.js';
import { checkMount, checkVolumeNames, type VolumeRules } from '../own-volumes.js';
import type { RunCheck } from './run-check.js';

/** A run may have a home of its own: the agent's is not to be had. */
const RULES: VolumeRules = {
  owner: 'run',
  taken: [SHM_MOUNT.name],
  homeHint: `call a volume ${HOME_MOUNT.name}: it takes that place`,
};

const volumes: RunCheck = {
  reads: ['volumes'],
  check: ({ spec }, report) => {
    checkVolumeNames(spec.volumes, RULES, report);
  },
};

const mounts: RunCheck = {
  reads: ['volumes', 'volumeMounts'],
  check: ({ spec }, report) => {
    (spec.volumeMounts ?? []).forEach((mount, index) => {
      checkMount(mount, ['spec', 'volumeMounts', index], { volumes: spec.volumes, rules: RULES }, report);
    });
  },
};

/** Volumes and mounts of a run. */
export const volumeChecks: readonly RunCheck[] = [volumes, mounts];
