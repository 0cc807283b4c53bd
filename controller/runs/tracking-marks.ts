import type { KubeObject } from '../kube/objects.js';

/**
 * Labels and annotations by which an engine, or another manager, knows what it declares. Whatever carries one comes back
 * when it is deleted, and a run that comes back runs again.
 */
const TRACKING_MARKS: readonly string[] = [
  'argocd.argoproj.io/tracking-id',
  'argocd.argoproj.io/instance',
  'app.kubernetes.io/instance',
  'kustomize.toolkit.fluxcd.io/name',
  'helm.toolkit.fluxcd.io/name',
  'meta.helm.sh/release-name',
  'kapp.k14s.io/app',
  'applyset.kubernetes.io/part-of',
  'objectset.rio.cattle.io/hash',
  'configmanagement.gke.io/managed',
];

/** The marks that an object carries, in the order of the list. A key counts as a label and as an annotation. */
export function marksOf({ metadata }: KubeObject, moreMarks: readonly string[]): readonly string[] {
  const { labels = {}, annotations = {} } = metadata;
  const marks = [...new Set([...TRACKING_MARKS, ...moreMarks])];
  return marks.filter((mark) => Object.hasOwn(labels, mark) || Object.hasOwn(annotations, mark));
}
