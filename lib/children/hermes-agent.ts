import type { InputMetadata, ResolvedAgent } from '../api/hermes-agent.js';
import { ANNOTATIONS } from '../api/identity.js';
import { type KubeManifest, withoutEmpty } from './manifest.js';

/**
 * What kubectl and the engines stamp on live objects. A file that came out of a cluster carries these; written back to
 * Git they would make an engine believe that it, or another application, already owns the object, or the controller that
 * nothing declares it and a finished run may be deleted.
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
  ANNOTATIONS.origin,
]);

/**
 * The agent itself, in canonical form. Labels and annotations of its author stay, settings for an engine included; only
 * the marks that belong to a live object go.
 */
export function renderHermesAgent(agent: ResolvedAgent): KubeManifest {
  return renderInput(agent.object);
}

/** An input in canonical form, as the objects that it renders to lie beside it. */
export function renderInput({
  apiVersion,
  kind,
  metadata,
  spec,
}: {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: InputMetadata;
  readonly spec: object;
}): KubeManifest {
  const { name, namespace, labels, annotations } = metadata;
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, ...withoutEmpty({ labels: authored(labels), annotations: authored(annotations) }) },
    spec,
  };
}

function authored(entries: Readonly<Record<string, string>> | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(entries ?? {}).filter(([key]) => !LIVE_MARKS.has(key)));
}
