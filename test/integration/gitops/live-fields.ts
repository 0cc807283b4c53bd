import type { KubeManifest } from '../../cluster/client.js';

/** A field that a live object has and Git has not, and who writes it. */
export interface LiveField {
  readonly kind: string;
  readonly name: string;
  /** Keys with dots stand in brackets. */
  readonly field: string;
  readonly writer: string;
}

/** What no engine may ever take for a difference: on the agents that the tests sync, by the name of the object. */
export const LIVE_FIELDS: readonly LiveField[] = [
  { kind: 'HermesAgent', name: 'bea', field: 'metadata.finalizers', writer: 'controller' },
  { kind: 'HermesAgent', name: 'bea', field: 'status', writer: 'controller' },
  { kind: 'HermesAgent', name: 'bea', field: 'spec.imagePullPolicy', writer: 'default of the schema' },
  { kind: 'HermesAgent', name: 'bea', field: 'spec.suspend', writer: 'default of the schema' },
  { kind: 'HermesAgent', name: 'bea', field: 'spec.storage.retainPolicy', writer: 'default of the schema' },
  {
    kind: 'Deployment',
    name: 'hermes-bea',
    field: 'metadata.annotations[deployment.kubernetes.io/revision]',
    writer: 'Kubernetes',
  },
  {
    kind: 'Deployment',
    name: 'hermes-bea',
    field: 'spec.template.metadata.annotations[kubectl.kubernetes.io/restartedAt]',
    writer: '`kubectl rollout restart`',
  },
  {
    kind: 'Deployment',
    name: 'hermes-bea',
    field: 'spec.template.spec.dnsPolicy',
    writer: 'default of the API server',
  },
  {
    kind: 'Deployment',
    name: 'hermes-bea',
    field: 'spec.template.spec.schedulerName',
    writer: 'default of the API server',
  },
  {
    kind: 'Deployment',
    name: 'hermes-bea',
    field: 'spec.template.spec.containers.0.terminationMessagePath',
    writer: 'default of the API server',
  },
  { kind: 'Deployment', name: 'hermes-bea', field: 'status', writer: 'Kubernetes' },
  { kind: 'Service', name: 'hermes-bea', field: 'spec.clusterIP', writer: 'Kubernetes' },
  { kind: 'Service', name: 'hermes-bea', field: 'spec.ipFamilies', writer: 'Kubernetes' },
  { kind: 'Service', name: 'hermes-bea', field: 'spec.sessionAffinity', writer: 'default of the API server' },
  { kind: 'PersistentVolumeClaim', name: 'hermes-bea-data', field: 'spec.volumeName', writer: 'Kubernetes' },
  {
    kind: 'PersistentVolumeClaim',
    name: 'hermes-bea-data',
    field: 'spec.volumeMode',
    writer: 'default of the API server',
  },
  { kind: 'PersistentVolumeClaim', name: 'hermes-bea-data', field: 'spec.storageClassName', writer: 'default class' },
  {
    kind: 'PersistentVolumeClaim',
    name: 'hermes-bea-data',
    field: 'metadata.annotations[pv.kubernetes.io/bind-completed]',
    writer: 'Kubernetes',
  },
  { kind: 'PersistentVolumeClaim', name: 'hermes-bea-data', field: 'metadata.finalizers', writer: 'Kubernetes' },
  { kind: 'Ingress', name: 'hermes-bea-dashboard', field: 'status.loadBalancer.ingress', writer: 'ingress controller' },
];

/** Value of a field; undefined where there is none. */
export function fieldOf(object: KubeManifest, field: string): unknown {
  const steps = field.match(/[^.[\]]+(?![^[]*\])|(?<=\[)[^\]]+(?=\])/g) ?? [];
  return steps.reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], object);
}
