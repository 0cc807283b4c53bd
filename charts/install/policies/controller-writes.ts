import { GROUP, LABELS, MANAGED_BY } from '../../../lib/api/identity.js';
import { CONTROLLER_USERNAME, LEASE, SYSTEM_NAMESPACE } from '../names.js';
import type { PolicyDefinition } from './admission-policy.js';
import { celText } from './cel.js';

const KEY = celText(LABELS.managedBy);
const labels = 'oldObject.metadata.labels';

/**
 * The controller may delete whole kinds by its role, because agents' children are of them. This narrows that to what
 * was rendered, so that a stolen token or a mistake of ours takes nobody else's objects.
 */
export const controllerWritesPolicy: PolicyDefinition = {
  name: 'hermes-gitops-controller-writes',
  resourceRules: [{ apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'], operations: ['UPDATE', 'DELETE'] }],
  matchConditions: [
    { name: 'by-the-controller', expression: `request.userInfo.username == ${celText(CONTROLLER_USERNAME)}` },
    { name: 'not-its-own-kinds', expression: `request.resource.group != ${celText(GROUP)}` },
    {
      name: 'not-its-lease',
      expression:
        `!(request.resource.group == 'coordination.k8s.io' && request.resource.resource == 'leases'` +
        ` && request.namespace == ${celText(SYSTEM_NAMESPACE)} && request.name == ${celText(LEASE)})`,
    },
    {
      name: 'not-an-event',
      expression: `!(request.resource.group in ['', 'events.k8s.io'] && request.resource.resource == 'events')`,
    },
  ],
  validations: [
    {
      expression: `has(${labels}) && ${KEY} in ${labels} && ${labels}[${KEY}] == ${celText(MANAGED_BY)}`,
      message: `the controller may change and delete only what carries the label ${LABELS.managedBy}: ${MANAGED_BY}`,
    },
  ],
};
