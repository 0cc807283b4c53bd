import { AGENT_KIND, API_VERSION, FOREIGN, RUN_KIND } from '../../../lib/api/identity.js';
import { SYSTEM_NAMESPACE } from '../names.js';
import type { Component } from './component.js';

const isCurrent = 'has(status.observedGeneration) && status.observedGeneration == metadata.generation';
const inPhase = (...phases: readonly string[]): string =>
  `${isCurrent} && has(status.phase) && status.phase in [${phases.map((phase) => `'${phase}'`).join(', ')}]`;

/** When Flux takes an agent or a run for done, under way or failed. */
const HEALTH_CHECKS = [
  {
    apiVersion: API_VERSION,
    kind: AGENT_KIND,
    current: inPhase('Ready', 'Suspended'),
    // Degraded alone is no end: a pod that comes back, or a Secret that is put right, makes the agent Ready again.
    failed: `${isCurrent} && has(status.conditions) && status.conditions.exists(c, c.type == 'Stalled' && c.status == 'True')`,
  },
  { apiVersion: API_VERSION, kind: RUN_KIND, current: inPhase('Succeeded'), failed: inPhase('Failed') },
];

/**
 * A Flux Kustomization for a rendered fleet, to be pointed at the repository that holds it; and the namespace of the
 * controller kept when Flux prunes, as the kinds themselves are.
 */
export const fluxComponent: Component = {
  name: 'flux',
  resources: {
    fleet: {
      apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
      kind: 'Kustomization',
      metadata: { name: 'hermes-fleet', namespace: 'flux-system' },
      spec: {
        sourceRef: { kind: 'GitRepository', name: 'flux-system' },
        path: './rendered',
        interval: '10m',
        retryInterval: '1m',
        timeout: '15m',
        prune: true,
        wait: true,
        healthCheckExprs: HEALTH_CHECKS,
      },
    },
  },
  patches: [
    {
      file: 'keep-namespace',
      patch: {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: SYSTEM_NAMESPACE, annotations: { [FOREIGN.fluxPrune]: 'disabled' } },
      },
      target: { kind: 'Namespace', name: SYSTEM_NAMESPACE },
    },
  ],
};
