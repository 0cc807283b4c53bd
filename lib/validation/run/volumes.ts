import { posix } from 'node:path';

import { HOME_MOUNT, SHM_MOUNT } from '../../children/volumes.js';
import type { RunCheck } from './run-check.js';

const volumes: RunCheck = {
  reads: ['volumes'],
  check: ({ spec }, report) => {
    (spec.volumes ?? []).forEach(({ name }, index) => {
      if (name !== SHM_MOUNT.name) return;
      const message = `${name} is a volume of the run itself`;
      report.error(['spec', 'volumes', index, 'name'], { rule: 'Clash', message, hint: 'use another name' });
    });
  },
};

const HINTS: Readonly<Record<string, string>> = {
  [HOME_MOUNT.mountPath]: `call a volume ${HOME_MOUNT.name}: it takes that place`,
  [SHM_MOUNT.mountPath]: 'mount it elsewhere',
};

const mounts: RunCheck = {
  reads: ['volumes', 'volumeMounts'],
  check: ({ spec }, report) => {
    const known = new Set([HOME_MOUNT.name, SHM_MOUNT.name, ...(spec.volumes ?? []).map(({ name }) => name)]);
    (spec.volumeMounts ?? []).forEach(({ name, mountPath }, index) => {
      const at = ['spec', 'volumeMounts', index];
      if (!known.has(name)) {
        const hint = `add it to spec.volumes, or mount one of ${[...known].join(', ')}`;
        report.error([...at, 'name'], { rule: 'UnknownVolume', message: `no volume is called ${name}`, hint });
      }
      const own = Object.keys(HINTS).find((path) => posix.join('/', mountPath, '/') === `${path}/`);
      if (own === undefined) return;
      const message = `${own} is where the run has a volume of its own`;
      report.error([...at, 'mountPath'], { rule: 'Clash', message, hint: HINTS[own] ?? '' });
    });
  },
};

/** Volumes and mounts of a run. */
export const volumeChecks: readonly RunCheck[] = [volumes, mounts];
