import { FOREIGN } from '../../../lib/api/identity.js';
import { FLUX_HEALTH_CHECKS } from '../../../lib/bootstrap/flux-health.js';
import { SYSTEM_NAMESPACE } from '../names.js';
import type { Component } from './component.js';

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
        healthCheckExprs: FLUX_HEALTH_CHECKS,
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
