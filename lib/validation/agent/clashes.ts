import { posix } from 'node:path';

import { FOREIGN, GROUP, LABELS } from '../../api/identity.js';
import type { AgentCheck } from './agent-check.js';

/** Volumes of the pod that rendering adds. */
const OWN_VOLUMES: readonly string[] = ['data', 'dshm'];

/** Where rendering mounts them. */
const OWN_MOUNTS: readonly string[] = ['/opt/data', '/dev/shm'];

const OWN_LABELS: readonly string[] = [LABELS.name, LABELS.managedBy];

const podLabels: AgentCheck = {
  reads: ['podLabels'],
  check: ({ spec }, report) => {
    for (const key of Object.keys(spec.podLabels ?? {})) {
      if (!OWN_LABELS.includes(key) && !key.startsWith(`${GROUP}/`)) continue;
      const message = 'is set by rendering, and selectors rely on it';
      report.error(['spec', 'podLabels', key], { rule: 'Clash', message, hint: 'use another key' });
    }
  },
};

const podAnnotations: AgentCheck = {
  reads: ['podAnnotations'],
  check: ({ spec }, report) => {
    const key = FOREIGN.defaultContainer;
    if (spec.podAnnotations?.[key] === undefined) return;
    report.error(['spec', 'podAnnotations', key], { rule: 'Clash', message: 'is set by rendering', hint: 'remove it' });
  },
};

const volumes: AgentCheck = {
  reads: ['volumes'],
  check: ({ spec }, report) => {
    (spec.volumes ?? []).forEach(({ name }, index) => {
      if (!OWN_VOLUMES.includes(name)) return;
      const message = `${name} is a volume of the agent itself`;
      report.error(['spec', 'volumes', index, 'name'], { rule: 'Clash', message, hint: 'use another name' });
    });
  },
};

const mounts: AgentCheck = {
  reads: ['volumes', 'volumeMounts', 'securityContext'],
  check: ({ spec }, report) => {
    const known = new Set([...OWN_VOLUMES, ...(spec.volumes ?? []).map(({ name }) => name)]);
    (spec.volumeMounts ?? []).forEach(({ name, mountPath, mountPropagation }, index) => {
      const at = ['spec', 'volumeMounts', index];
      if (!known.has(name)) {
        const hint = `add it to spec.volumes, or mount one of ${[...known].join(', ')}`;
        report.error([...at, 'name'], { rule: 'UnknownVolume', message: `no volume is called ${name}`, hint });
      }
      const own = OWN_MOUNTS.find((path) => posix.join('/', mountPath, '/') === `${path}/`);
      if (own !== undefined) {
        const message = `${own} is where the agent has a volume of its own`;
        report.error([...at, 'mountPath'], { rule: 'Clash', message, hint: 'mount it elsewhere' });
      }
      if (mountPropagation === 'Bidirectional' && spec.securityContext?.privileged !== true) {
        const message = 'Bidirectional needs a privileged container';
        report.error([...at, 'mountPropagation'], { rule: 'BadMount', message, hint: 'write HostToContainer' });
      }
    });
  },
};

/** What rendering sets itself and an agent may not set otherwise. */
export const clashChecks: readonly AgentCheck[] = [podLabels, podAnnotations, volumes, mounts];
