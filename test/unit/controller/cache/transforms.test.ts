import { describe, expect, it } from 'vitest';
import { keepAgent, keepDeployment, keepMetadata, keepPod } from '../../../../controller/cache/transforms.js';

const metadata = {
  name: 'hermes-mina',
  namespace: 'lab',
  uid: 'u1',
  resourceVersion: '7',
  creationTimestamp: '2026-01-01T00:00:00Z',
  labels: { 'hermes-gitops.dev/agent': 'mina', team: 'x' },
  annotations: { 'hermes-gitops.dev/spec-digest': 'v1:0', note: 'long' },
  managedFields: [{ manager: 'kubectl' }],
};

const kept = {
  name: 'hermes-mina',
  namespace: 'lab',
  uid: 'u1',
  resourceVersion: '7',
  creationTimestamp: '2026-01-01T00:00:00Z',
  labels: { 'hermes-gitops.dev/agent': 'mina' },
  annotations: { 'hermes-gitops.dev/spec-digest': 'v1:0' },
};

describe('transforms', () => {
  it('keep of a metadata-only object what identifies it, under its real kind', () => {
    const keep = keepMetadata({ apiVersion: 'v1', kind: 'Service' });
    expect(keep({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata })).toEqual({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: kept,
    });
  });

  it('drop the pod template of a Deployment', () => {
    const spec = { replicas: 1, progressDeadlineSeconds: 600, template: { spec: {} } };
    const status = { observedGeneration: 2, readyReplicas: 1, collisionCount: 0 };
    expect(keepDeployment({ metadata, spec, status })).toEqual({
      metadata: kept,
      spec: { replicas: 1, progressDeadlineSeconds: 600 },
      status: { observedGeneration: 2, readyReplicas: 1 },
    });
  });

  it('keep of a pod what status reads', () => {
    const pod = {
      metadata,
      spec: {
        serviceAccountName: 'hermes-mina',
        containers: [{ name: 'hermes', image: 'x:v1', env: [{ name: 'TOKEN', value: 'secret' }] }],
        volumes: [
          { name: 'data', persistentVolumeClaim: { claimName: 'hermes-mina-data' } },
          { name: 'tmp', emptyDir: {} },
        ],
      },
      status: {
        phase: 'Running',
        qosClass: 'Burstable',
        containerStatuses: [{ name: 'hermes', ready: true, restartCount: 0, imageID: 'sha256:1', state: {} }],
        initContainerStatuses: null,
      },
    };
    expect(keepPod(pod)).toEqual({
      metadata: kept,
      spec: {
        serviceAccountName: 'hermes-mina',
        containers: [{ name: 'hermes', image: 'x:v1' }],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'hermes-mina-data' } }],
      },
      status: {
        phase: 'Running',
        containerStatuses: [{ name: 'hermes', ready: true, restartCount: 0, state: {} }],
        initContainerStatuses: null,
      },
    });
  });

  it('keep an agent whole but for managedFields and what kubectl noted', () => {
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{}', team: 'x' };
    const agent = { metadata: { ...metadata, annotations }, spec: null, status: { phase: 'Ready', foreign: 1 } };
    const { managedFields, ...rest } = metadata;
    expect(managedFields).toHaveLength(1);
    expect(keepAgent(agent)).toEqual({
      metadata: { ...rest, annotations: { team: 'x' } },
      spec: null,
      status: { phase: 'Ready', foreign: 1 },
    });
  });

  it.each([null, undefined, 'text', [], {}, { metadata: null }, { metadata: { name: 'x' } }])(
    'keep nothing of %j',
    (raw) => {
      expect([keepAgent(raw), keepDeployment(raw), keepPod(raw)]).toEqual([undefined, undefined, undefined]);
    },
  );
});
