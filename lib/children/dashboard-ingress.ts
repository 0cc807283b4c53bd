import type { ResolvedAgent } from '../api/hermes-agent.js';
import { DASHBOARD_PORT } from '../api/probe-access.js';
import { dashboardName } from '../names.js';
import { childMetadata, type KubeManifest } from './manifest.js';

/** The Ingress of the dashboard. Never without the Service that it leads to. */
export function renderDashboardIngress(agent: ResolvedAgent): KubeManifest | undefined {
  const { dashboard } = agent.spec;
  const ingress = dashboard?.ingress;
  if (dashboard?.enabled !== true || ingress?.enabled !== true) return undefined;
  const { host, ingressClassName } = ingress;
  const secretName = ingress.tls?.secretName ?? '';
  const backend = { service: { name: dashboardName(agent.name), port: { number: DASHBOARD_PORT } } };
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: childMetadata(agent, dashboardName(agent.name), ingress.annotations),
    spec: {
      ...(ingressClassName !== undefined && { ingressClassName }),
      rules: [{ ...(host !== undefined && { host }), http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }],
      ...(secretName !== '' && { tls: [{ ...(host !== undefined && { hosts: [host] }), secretName }] }),
    },
  };
}
