import { AGENT_KIND, GROUP, RUN_KIND } from '../../../lib/api/identity.js';
import { agentHealth, runHealth } from './argocd-health.js';
import type { Component } from './component.js';

const key = (kind: string): string => `resource.customizations.health.${GROUP}_${kind}`;

/** Teaches Argo CD the health of both kinds. For a kustomization that has the ConfigMap of Argo CD. */
export const argocdComponent: Component = {
  name: 'argocd',
  patches: [
    {
      file: 'argocd-cm',
      patch: {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'argocd-cm', namespace: 'argocd' },
        data: { [key(AGENT_KIND)]: agentHealth, [key(RUN_KIND)]: runHealth },
      },
    },
  ],
};
