import { controllerClusterRoleBinding } from '../cluster-role-binding.js';
import { clusterMetadata } from '../metadata.js';
import { CONTROLLER, SYSTEM_NAMESPACE } from '../names.js';
import type { Component } from './component.js';

const NAME = 'hermes-gitops-probe-via-apiserver';

/**
 * Lets the controller reach dashboards through the API server, where it cannot reach pods itself. Apart from the base
 * because the right to proxy reaches every port of every pod.
 */
export const probeViaApiserverComponent: Component = {
  name: 'probe-via-apiserver',
  resources: {
    'cluster-role': {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: clusterMetadata(NAME),
      rules: [{ apiGroups: [''], resources: ['pods/proxy'], verbs: ['get'] }],
    },
    'cluster-role-binding': controllerClusterRoleBinding(NAME),
  },
  patches: [
    {
      file: 'add-flag',
      patch: [{ op: 'add', path: '/spec/template/spec/containers/0/args/-', value: '--probe-via-apiserver' }],
      target: { kind: 'Deployment', name: CONTROLLER, namespace: SYSTEM_NAMESPACE },
    },
  ],
};
