import { FOREIGN } from '../../../lib/api/identity.js';
import { SYSTEM_NAMESPACE } from '../names.js';
import type { Component } from './component.js';

/** The namespace of the controller kept when Flux prunes, as the kinds themselves are. */
export const fluxComponent: Component = {
  name: 'flux',
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
