import { UNAVOIDABLE_CLUSTER_RULES } from '../cluster-role.js';
import { listFlag, listVariable } from '../deployment.js';
import { CONTROLLER, LISTS, SYSTEM_NAMESPACE } from '../names.js';
import type { Component } from './component.js';
import { listReplacement } from './settings.js';

const CONTAINER = '/spec/template/spec/containers/0';

/**
 * Keeps the controller to the namespaces of the settings. Its rights there come from the Role that stands in a folder of
 * its own, once for each namespace; of its ClusterRole only that is left which no Role can hold.
 */
export const namespacedComponent: Component = {
  name: 'namespaced',
  patches: [
    {
      file: 'narrow-cluster-role',
      patch: [{ op: 'replace', path: '/rules', value: UNAVOIDABLE_CLUSTER_RULES }],
      target: { kind: 'ClusterRole', name: CONTROLLER },
    },
    {
      file: 'add-flag',
      patch: [
        { op: 'add', path: `${CONTAINER}/args/-`, value: listFlag(LISTS.namespaces) },
        { op: 'add', path: `${CONTAINER}/env/-`, value: listVariable(LISTS.namespaces, []) },
      ],
      target: { kind: 'Deployment', name: CONTROLLER, namespace: SYSTEM_NAMESPACE },
    },
  ],
  replacements: [listReplacement('namespaces')],
};
