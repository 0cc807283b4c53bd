/** A label or annotation by which somebody knows what it applies. */
export interface TrackingMark {
  readonly key: string;
  /** Who sets it, in words for people. */
  readonly manager: string;
}

/**
 * What marks an object as declared elsewhere: an object that carries one comes back when it is deleted, and a run that
 * comes back runs again. What says most of its manager comes first.
 */
export const TRACKING_MARKS: readonly TrackingMark[] = [
  { key: 'argocd.argoproj.io/tracking-id', manager: 'Argo CD' },
  { key: 'argocd.argoproj.io/instance', manager: 'Argo CD' },
  { key: 'kustomize.toolkit.fluxcd.io/name', manager: 'Flux' },
  { key: 'helm.toolkit.fluxcd.io/name', manager: 'Flux' },
  { key: 'meta.helm.sh/release-name', manager: 'Helm' },
  { key: 'kapp.k14s.io/app', manager: 'kapp' },
  { key: 'applyset.kubernetes.io/part-of', manager: 'kubectl apply with an ApplySet' },
  { key: 'objectset.rio.cattle.io/hash', manager: 'Rancher' },
  { key: 'configmanagement.gke.io/managed', manager: 'Config Sync' },
  // Argo CD's former default for tracking; charts and people set it too.
  { key: 'app.kubernetes.io/instance', manager: 'Argo CD or Helm' },
];

/** The part of an object's metadata where marks are. */
export interface MarkedMetadata {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Whether an object carries a mark. Its key counts as a label and as an annotation, whatever the value. */
export function carriesMark({ labels = {}, annotations = {} }: MarkedMetadata, key: string): boolean {
  return Object.hasOwn(labels, key) || Object.hasOwn(annotations, key);
}
