import { podStateAnnotations } from '../../cluster/pods.js';
import { CLAIM } from '../../support/resolved-agent.js';

/** Five agents that have all kinds of children between them, and values that a server may store in another way. */
export function fiveAgents(namespace: string): Readonly<Record<string, object>> {
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
  return {
    ada: { rbac: { roleBindings: [{ namespace, roleRef }] } },
    bea: {
      dashboard: {
        enabled: true,
        env: [{ name: 'HERMES_DASHBOARD_BASIC_AUTH_USERNAME', value: 'bea' }],
        ingress: { enabled: true, host: 'bea.example.net', ingressClassName: 'any' },
      },
      networkPolicy: { enabled: true, policyTypes: ['Egress'], egress: [{}] },
    },
    cleo: { storage: { persistentVolumeClaim: CLAIM, retainPolicy: 'Delete' } },
    dora: {
      resources: { requests: { cpu: '0.5', memory: '1024Mi' }, limits: { cpu: '1000m', memory: '1.5Gi' } },
      env: [{ name: 'STEP', value: '1' }],
      envFrom: [],
      podLabels: {},
      llmProviders: [{ name: 'any', models: ['a'], env: [{ name: 'B', value: 'c' }] }],
      tolerations: [{ key: 'x', operator: 'Exists' }],
    },
    // Its pod says that the image has no valid name, until a test makes it ready.
    eve: { podAnnotations: podStateAnnotations('invalid-image-name'), rbac: { roleBindings: [] } },
  };
}
