import type { ResolvedAgent } from '../api/hermes-agent.js';
import { type KubeManifest, withoutEmpty } from './manifest.js';

/**
 * What kubectl and the engines stamp on live objects. A file that came out of a cluster carries these; written back to
 * Git they would make an engine believe that it, or another application, already owns the object.
 */
const LIVE_MARKS: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  'argocd.argoproj.io/tracking-id',
  'argocd.argoproj.io/instance',
  'argocd.argoproj.io/installation-id',
  'kustomize.toolkit.fluxcd.io/name',
  'kustomize.toolkit.fluxcd.io/namespace',
  'helm.toolkit.fluxcd.io/name',
  'helm.toolkit.fluxcd.io/namespace',
]);

/**
 * The agent itself, in canonical form. Labels and annotations of its author stay, settings for an engine included; only
 * the marks that belong to a live object go.
 */
export function renderHermesAgent(agent: ResolvedAgent): KubeManifest {
  const { apiVersion, kind, metadata, spec } = agent.object;
  return {
    apiVersion,
    kind,
    metadata: {
      name: agent.name,
      namespace: agent.namespace,
      ...withoutEmpty({ labels: authored(metadata.labels), annotations: authored(metadata.annotations) }),
    },
    spec,
  };
}

function authored(entries: Readonly<Record<string, string>> | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(entries ?? {}).filter(([key]) => !LIVE_MARKS.has(key)));
}
