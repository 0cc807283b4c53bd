import { agentRunCrd, hermesAgentCrd } from '../../lib/api/crd.js';
import { AGENT_PLURAL, RUN_PLURAL } from '../../lib/api/identity.js';
import { aggregatedClusterRole } from './aggregated-cluster-roles.js';
import { controllerClusterRole } from './cluster-role.js';
import { controllerClusterRoleBinding } from './cluster-role-binding.js';
import { controllerDeployment } from './deployment.js';
import { leaseRole } from './lease-role.js';
import { leaseRoleBinding } from './lease-role-binding.js';
import { metricsReaderClusterRole } from './metrics-reader-cluster-role.js';
import { namespace } from './namespace.js';
import { networkPolicy } from './network-policy.js';
import type { ResolvedInstallOptions } from './options.js';
import { podDisruptionBudget } from './pod-disruption-budget.js';
import { admissionPolicy, admissionPolicyBinding } from './policies/admission-policy.js';
import { policies } from './policies/policies.js';
import { serviceAccount } from './service-account.js';
import { metricsService } from './service.js';

/** Every object of the base, by the path of its file without the ending, in an order in which they can be applied. */
export function baseObjects(options: ResolvedInstallOptions): Readonly<Record<string, object>> {
  return {
    [`crds/${AGENT_PLURAL}`]: hermesAgentCrd(),
    [`crds/${RUN_PLURAL}`]: agentRunCrd(),
    namespace: namespace(),
    'service-account': serviceAccount(),
    'cluster-role': controllerClusterRole(),
    'cluster-role-binding': controllerClusterRoleBinding(),
    'lease-role': leaseRole(),
    'lease-role-binding': leaseRoleBinding(),
    'cluster-role-view': aggregatedClusterRole('view'),
    'cluster-role-edit': aggregatedClusterRole('edit'),
    'cluster-role-admin': aggregatedClusterRole('admin'),
    'cluster-role-metrics-reader': metricsReaderClusterRole(),
    service: metricsService(),
    'network-policy': networkPolicy(options),
    'pod-disruption-budget': podDisruptionBudget(),
    deployment: controllerDeployment(options),
    ...Object.fromEntries(
      Object.entries(policies(options)).flatMap(([name, definition]) => [
        [`policies/${name}`, admissionPolicy(definition)],
        [`policies/${name}-binding`, admissionPolicyBinding(definition)],
      ]),
    ),
  };
}
