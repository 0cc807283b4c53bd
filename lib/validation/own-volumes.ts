import { posix } from 'node:path';

import type { Volume, VolumeMount } from '../api/generated/types.js';
import { HOME_MOUNT, SHM_MOUNT } from '../children/volumes.js';
import type { Reporter } from './reporter.js';

/** Volumes that rendering adds to every pod, by where they are mounted. */
const OWN_MOUNTS: readonly VolumeMount[] = [HOME_MOUNT, SHM_MOUNT];

/** Whose pod it is, and what its input may do with our volumes. */
export interface VolumeRules {
  readonly owner: 'agent' | 'run';
  /** Names that a volume of the input may not have. */
  readonly taken: readonly string[];
  /** What to do about a mount at the home, where that is not "mount it elsewhere". */
  readonly homeHint?: string;
}

/** Reports volumes that take the name of one of ours. */
export function checkVolumeNames(
  volumes: readonly Volume[] = [],
  { owner, taken }: VolumeRules,
  report: Reporter,
): void {
  volumes.forEach(({ name }, index) => {
    if (!taken.includes(name)) return;
    const message = `${name} is a volume of the ${owner} itself`;
    report.error(['spec', 'volumes', index, 'name'], { rule: 'Clash', message, hint: 'use another name' });
  });
}

/** Reports a mount of no known volume, and one where a volume of ours is. */
export function checkMount(
  { name, mountPath }: VolumeMount,
  at: readonly (string | number)[],
  { volumes = [], rules }: { readonly volumes: readonly Volume[] | undefined; readonly rules: VolumeRules },
  report: Reporter,
): void {
  const known = new Set([...OWN_MOUNTS, ...volumes].map((volume) => volume.name));
  if (!known.has(name)) {
    const hint = `add it to spec.volumes, or mount one of ${[...known].join(', ')}`;
    report.error([...at, 'name'], { rule: 'UnknownVolume', message: `no volume is called ${name}`, hint });
  }
  const own = OWN_MOUNTS.find((mount) => posix.join('/', mountPath, '/') === `${mount.mountPath}/`);
  if (own === undefined) return;
  const message = `${own.mountPath} is where the ${rules.owner} has a volume of its own`;
  const hint = own === HOME_MOUNT ? (rules.homeHint ?? 'mount it elsewhere') : 'mount it elsewhere';
  report.error([...at, 'mountPath'], { rule: 'Clash', message, hint });
}
