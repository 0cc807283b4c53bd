import { describe, expect, it } from 'vitest';
import {
  keepAgent,
  keepDeployment,
  keepJob,
  keepMetadata,
  keepPod,
  keepRun,
  keepSandbox,
} from '../../../../controller/cache/transforms.js';

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

  const annotations = {
    'argocd.argoproj.io/tracking-id': 'x',
    'kubectl.kubernetes.io/last-applied-configuration': '{}',
  };
  const whole = {
    ...metadata,
    annotations: { 'argocd.argoproj.io/tracking-id': 'x' },
    managedFields: undefined,
  };

  it('drop of a run what it executes, and keep every mark', () => {
    const spec = { agentRef: { name: 'mina' }, instructions: 'long', ttlSecondsAfterFinished: 0, env: [] };
    const status = { phase: 'Pending' };
    expect(keepRun({ metadata: { ...metadata, annotations }, spec, status })).toEqual({
      metadata: whole,
      spec: { agentRef: { name: 'mina' }, ttlSecondsAfterFinished: 0 },
      status,
    });
  });

  it.each([
    { spec: { image: 'x' }, want: {} },
    { spec: null, want: null },
    { spec: 'text', want: 'text' },
    { spec: undefined, want: undefined },
  ])('keep of the spec $spec of a run: $want', ({ spec, want }) => {
    expect(keepRun({ metadata, spec })?.spec).toEqual(want);
  });

  it('drop the pod templates of workloads, and keep every mark', () => {
    const conditions = [{ type: 'Complete', status: 'True' }];
    const job = {
      metadata: { ...metadata, annotations },
      spec: { suspend: true, backoffLimit: 0, template: {} },
      status: { startTime: 's', completionTime: 'c', failed: 1, conditions, ready: 0 },
    };
    expect(keepJob(job)).toEqual({
      metadata: whole,
      spec: { suspend: true, backoffLimit: 0 },
      status: { startTime: 's', completionTime: 'c', failed: 1, conditions },
    });
    const sandbox = {
      metadata,
      spec: { operatingMode: 'Running', podTemplate: {} },
      status: { conditions, replicas: 1 },
    };
    expect(keepSandbox(sandbox)).toMatchObject({ spec: { operatingMode: 'Running' }, status: { conditions } });
    expect(keepSandbox(sandbox)).not.toHaveProperty('spec.podTemplate');
  });
});
