import { describe, expect, it } from 'vitest';
import { markOf } from '../../../../cli/cluster/installed-objects.js';
import { marksOf } from '../../../../controller/runs/tracking-marks.js';
import { TRACKING_MARKS } from '../../../../lib/api/tracking-marks.js';
import type { KubeObject } from '../../../../controller/kube/objects.js';
import { RESOURCES } from '../../../../controller/kube/resources.js';

const object = (metadata: object): KubeObject => ({
  metadata: { name: 'x', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z', ...metadata },
});

const managerOf = (metadata: object): string | undefined =>
  markOf({ resource: RESOURCES.deployments, object: object(metadata) })?.manager;

describe('the manager of an object of the install set', () => {
  it.each([
    ['argocd.argoproj.io/tracking-id', 'Argo CD'],
    ['argocd.argoproj.io/instance', 'Argo CD'],
    ['kustomize.toolkit.fluxcd.io/name', 'Flux'],
    ['helm.toolkit.fluxcd.io/name', 'Flux'],
    ['meta.helm.sh/release-name', 'Helm'],
    ['kapp.k14s.io/app', 'kapp'],
    ['applyset.kubernetes.io/part-of', 'kubectl apply with an ApplySet'],
    ['objectset.rio.cattle.io/hash', 'Rancher'],
    ['configmanagement.gke.io/managed', 'Config Sync'],
    ['app.kubernetes.io/instance', 'Argo CD or Helm'],
  ])('is known by %s, as a label and as an annotation', (key, want) => {
    expect(managerOf({ labels: { [key]: 'x' } })).toBe(want);
    expect(managerOf({ annotations: { [key]: '' } })).toBe(want);
  });

  it('is told by the mark that says most', () => {
    expect(managerOf({ labels: { 'app.kubernetes.io/instance': 'x', 'kustomize.toolkit.fluxcd.io/name': 'x' } })).toBe(
      'Flux',
    );
  });

  it('is nobody where there are only our labels, and what kubectl leaves behind', () => {
    const labels = { 'app.kubernetes.io/part-of': 'hermes-gitops' };
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{}' };
    expect(managerOf({ labels, annotations })).toBeUndefined();
    expect(managerOf({})).toBeUndefined();
  });

  it('is known by the marks that keep a run, and by no others', () => {
    for (const { key, manager } of TRACKING_MARKS) {
      expect(marksOf(object({ labels: { [key]: 'x' } }), [])).toEqual([key]);
      expect(managerOf({ labels: { [key]: 'x' } })).toBe(manager);
    }
  });
});
