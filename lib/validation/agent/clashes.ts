import { FOREIGN, GROUP, LABELS } from '../../api/identity.js';
import { HOME_MOUNT, SHM_MOUNT } from '../../children/volumes.js';
import { checkMount, checkVolumeNames, type VolumeRules } from '../own-volumes.js';
import type { AgentCheck } from './agent-check.js';

const RULES: VolumeRules = { owner: 'agent', taken: [HOME_MOUNT.name, SHM_MOUNT.name] };

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
    checkVolumeNames(spec.volumes, RULES, report);
  },
};

const mounts: AgentCheck = {
  reads: ['volumes', 'volumeMounts', 'securityContext'],
  check: ({ spec }, report) => {
    (spec.volumeMounts ?? []).forEach((mount, index) => {
      const at = ['spec', 'volumeMounts', index];
      checkMount(mount, at, { volumes: spec.volumes, rules: RULES }, report);
      if (mount.mountPropagation === 'Bidirectional' && spec.securityContext?.privileged !== true) {
        const message = 'Bidirectional needs a privileged container';
        report.error([...at, 'mountPropagation'], { rule: 'BadMount', message, hint: 'write HostToContainer' });
      }
    });
  },
};

/** What rendering sets itself and an agent may not set otherwise. */
export const clashChecks: readonly AgentCheck[] = [podLabels, podAnnotations, volumes, mounts];
