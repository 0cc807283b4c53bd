import { LABELS } from '../../../lib/api/identity.js';
import type { PolicyDefinition } from './admission-policy.js';
import { celText, sameExcept } from './cel.js';

/** The annotation that `kubectl rollout restart` writes. */
const RESTARTED_AT = 'kubectl.kubernetes.io/restartedAt';

/** Written by the API server itself with every change. */
const SERVER_METADATA = ['generation', 'managedFields', 'resourceVersion'];

const LABEL = celText(LABELS.agent);

const username = 'request.userInfo.username';
const account = (name: string): string => `'system:serviceaccount:' + request.namespace + ':' + ${name}`;
const old = 'dyn(oldObject)';

/** A Scale has no labels, but the selector of its Deployment. */
const ofAgent = [
  `(has(${old}.metadata.labels) && ${LABEL} in ${old}.metadata.labels)`,
  `(oldObject.kind == 'Scale' && has(${old}.status.selector) && ${old}.status.selector.contains(${celText(`${LABELS.agent}=`)}))`,
].join(' || ');

const byOwnAccount = [
  `${username} == ${account(`${old}.metadata.name`)}`,
  `(oldObject.kind == 'Deployment' && has(${old}.spec.template.spec.serviceAccountName)` +
    ` && ${username} == ${account(`${old}.spec.template.spec.serviceAccountName`)})`,
].join(' || ');

const template = (object: string): string => `${object}.spec.template`;
const annotations = (object: string): string => `${object}.spec.template.metadata.?annotations.orValue({})`;

/**
 * The right to patch its own Deployment, which an agent needs for restarting itself, would also let it mount any Secret
 * and take any ServiceAccount of its namespace. Of all that can be patched this leaves the restart.
 */
export const agentRestartPolicy: PolicyDefinition = {
  name: 'hermes-gitops-agent-restart',
  resourceRules: [
    {
      apiGroups: ['apps'],
      apiVersions: ['*'],
      resources: ['deployments', 'deployments/scale'],
      operations: ['UPDATE', 'DELETE'],
    },
  ],
  matchConditions: [
    { name: 'deployment-of-an-agent', expression: ofAgent },
    { name: 'by-its-own-account', expression: byOwnAccount },
  ],
  validations: [
    {
      expression: `request.operation != 'DELETE' && oldObject.kind == 'Deployment'`,
      message: 'an agent may restart its Deployment, and neither scale nor delete it',
    },
    {
      expression: sameExcept('oldObject.metadata', 'object.metadata', SERVER_METADATA),
      message: 'an agent may restart its Deployment, and not change its labels or annotations',
    },
    {
      expression: sameExcept('oldObject.spec', 'object.spec', ['template']),
      message: 'an agent may restart its Deployment, and not change its spec',
    },
    {
      expression: [
        sameExcept(template('dyn(oldObject)'), template('dyn(object)'), ['metadata']),
        sameExcept(`${template('dyn(oldObject)')}.metadata`, `${template('dyn(object)')}.metadata`, ['annotations']),
        sameExcept(annotations('dyn(oldObject)'), annotations('dyn(object)'), [RESTARTED_AT]),
      ].join(' && '),
      message: `an agent may set ${RESTARTED_AT} in the pod template of its Deployment, and nothing else`,
    },
  ],
};
