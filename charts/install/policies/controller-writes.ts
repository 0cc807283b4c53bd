import { GROUP, LABELS, LEASE_NAME, MANAGED_BY } from '../../../lib/api/identity.js';
import { CONTROLLER_USERNAME, SYSTEM_NAMESPACE } from '../names.js';
import type { PolicyDefinition } from './admission-policy.js';
import { celText, sameExcept } from './cel.js';

const KEY = celText(LABELS.managedBy);
const labels = 'oldObject.metadata.labels';

/** By these fields a Job and a Sandbox are asked for no pod. */
const STOPS =
  `(request.resource.group == 'batch' && request.resource.resource == 'jobs' && object.spec.suspend == true)` +
  ` || (request.resource.group == 'agents.x-k8s.io' && request.resource.resource == 'sandboxes'` +
  ` && object.spec.operatingMode == 'Suspended')`;

/** Written by the API server itself with every change. */
const BOOKKEEPING = ['generation', 'managedFields', 'resourceVersion'];

/**
 * The controller may delete whole kinds by its role, because agents' children are of them. This narrows that to what
 * was rendered, so that a stolen token or a mistake of ours takes nobody else's objects. To
 * patch a workload would be to run anything as anybody; all that it needs is to stop one.
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
        ` && request.namespace == ${celText(SYSTEM_NAMESPACE)} && request.name == ${celText(LEASE_NAME)})`,
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
    {
      expression:
        `request.operation == 'DELETE' || ((${STOPS}) && !has(request.subResource)` +
        ` && ${sameExcept('object.spec', 'oldObject.spec', ['operatingMode', 'suspend'])}` +
        ` && ${sameExcept('object.metadata', 'oldObject.metadata', BOOKKEEPING)})`,
      message: 'the controller may change nothing of a workload: it may stop a Job or a Sandbox',
    },
  ],
};
