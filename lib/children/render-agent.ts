import type { ResolvedAgent } from '../api/hermes-agent.js';
import { DEFAULT_CONTROLLER_NAMESPACE } from '../api/probe-access.js';
import { renderClusterRoleBindings } from './cluster-role-bindings.js';
import { renderDashboardIngress } from './dashboard-ingress.js';
import { renderDashboardService } from './dashboard-service.js';
import { renderDeployment } from './deployment.js';
import { withoutFluxSubstitution } from './flux-substitution.js';
import { renderHermesAgent } from './hermes-agent.js';
import type { KubeManifest } from './manifest.js';
import { renderNetworkPolicy } from './network-policy.js';
import { renderPersistentVolumeClaim } from './persistent-volume-claim.js';
import { renderRoleBindings } from './role-bindings.js';
import { renderSelfRole } from './self-role.js';
import { renderSelfRoleBinding } from './self-role-binding.js';
import { renderServiceAccount } from './service-account.js';
import { renderService } from './service.js';

/** What of the rendering is not the agent's own choice. */
export interface RenderOptions {
  /** Flux will apply the output: objects that hold `${…}` are kept from its substitution. */
  readonly flux?: boolean;
  /**
   * Namespace of the controller, which a NetworkPolicy lets reach the dashboard. Empty for no such rule.
   * @default 'hermes-gitops-system'
   */
  readonly controllerNamespace?: string;
}

/** The children of an agent, each under the name that the construct exposes it by. */
export interface AgentChildren {
  readonly hermesAgent: KubeManifest;
  readonly serviceAccount?: KubeManifest;
  readonly selfRole?: KubeManifest;
  readonly selfRoleBinding?: KubeManifest;
  readonly roleBindings: readonly KubeManifest[];
  readonly clusterRoleBindings: readonly KubeManifest[];
  readonly persistentVolumeClaim?: KubeManifest;
  readonly networkPolicy?: KubeManifest;
  readonly service: KubeManifest;
  readonly deployment: KubeManifest;
  readonly dashboardService?: KubeManifest;
  readonly dashboardIngress?: KubeManifest;
}

/**
 * All that an agent renders to. The order of the fields is the order of application: what the pod needs before the pod,
 * its policy included, so that it never runs unrestricted.
 */
export function renderAgentChildren(agent: ResolvedAgent, options: RenderOptions = {}): AgentChildren {
  const children = {
    hermesAgent: renderHermesAgent(agent),
    serviceAccount: renderServiceAccount(agent),
    selfRole: renderSelfRole(agent),
    selfRoleBinding: renderSelfRoleBinding(agent),
    roleBindings: renderRoleBindings(agent),
    clusterRoleBindings: renderClusterRoleBindings(agent),
    persistentVolumeClaim: renderPersistentVolumeClaim(agent),
    networkPolicy: renderNetworkPolicy(agent, options.controllerNamespace ?? DEFAULT_CONTROLLER_NAMESPACE),
    service: renderService(agent),
    deployment: renderDeployment(agent),
    dashboardService: renderDashboardService(agent),
    dashboardIngress: renderDashboardIngress(agent),
  };
  const finish = options.flux === true ? withoutFluxSubstitution : (manifest: KubeManifest): KubeManifest => manifest;
  const entries = Object.entries(children).flatMap(([key, child]): [string, unknown][] => {
    if (child === undefined) return [];
    return [[key, Array.isArray(child) ? child.map(finish) : finish(child as KubeManifest)]];
  });
  return Object.fromEntries(entries) as unknown as AgentChildren;
}

/** The manifests of an agent in the order of application. */
export function renderAgent(agent: ResolvedAgent, options: RenderOptions = {}): readonly KubeManifest[] {
  return Object.values(renderAgentChildren(agent, options)).flat() as readonly KubeManifest[];
}
