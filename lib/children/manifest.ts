import type { ResolvedAgent } from '../api/hermes-agent.js';
import { ANNOTATIONS, LABELS, MANAGED_BY } from '../api/identity.js';

/** The metadata that rendering writes. Everything else of ObjectMeta belongs to the API server. */
export interface ManifestMetadata {
  readonly name: string;
  /** Absent on cluster-scoped objects. */
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A Kubernetes object as it goes into Git: plain JSON data. */
export interface KubeManifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ManifestMetadata;
  readonly [field: string]: unknown;
}

/** Value of the component label on the agent's own pod. */
export const GATEWAY_COMPONENT = 'gateway';

/** Labels of every child of an agent. */
export function childLabels(agent: ResolvedAgent): Record<string, string> {
  return {
    [LABELS.name]: 'hermes-agent',
    [LABELS.managedBy]: MANAGED_BY,
    [LABELS.agent]: agent.name,
    [LABELS.agentNamespace]: agent.namespace,
  };
}

/** Labels that select the agent's pod and no other. Engines rewrite some of the well-known labels, so none is used. */
export function podSelector(agent: ResolvedAgent): Record<string, string> {
  return { [LABELS.agent]: agent.name, [LABELS.component]: GATEWAY_COMPONENT };
}

/** Metadata of a child in the agent's namespace. Annotations of ours win over `annotations`. */
export function childMetadata(
  agent: ResolvedAgent,
  name: string,
  annotations: Readonly<Record<string, string>> = {},
): ManifestMetadata {
  return {
    name,
    namespace: agent.namespace,
    labels: childLabels(agent),
    annotations: { ...annotations, [ANNOTATIONS.specDigest]: agent.digest },
  };
}

/**
 * `fields` without those that are undefined, an empty list or an empty map. Only for fields of which the API server
 * drops the empty value: it would be a difference for ever.
 */
export function withoutEmpty(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)));
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
