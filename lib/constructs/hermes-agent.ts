import type { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import type { HermesAgentSpec } from '../api/generated/types.js';
import type { ResolvedAgent } from '../api/hermes-agent.js';
import { AGENT_KIND } from '../api/identity.js';
import { DEFAULT_CONTROLLER_NAMESPACE } from '../api/probe-access.js';
import type { KubeManifest } from '../children/manifest.js';
import { type AgentChildren, renderAgentChildren } from '../children/render-agent.js';
import type { Problem } from '../validation/problem.js';
import { validateAgent } from '../validation/validate-agent.js';
import { claimObjects } from './claimed-objects.js';
import { apiObject, errorTexts, inputObject } from './input-object.js';
import { besides } from './plain-data.js';

/** Name and marks of an agent that is written in TypeScript. */
export interface HermesAgentMetadata {
  readonly name: string;
  /** @default - the namespace of the chart */
  readonly namespace?: string;
  /** Labels of the HermesAgent itself. They are not copied to its children. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Annotations of the HermesAgent itself. They are not copied to its children. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** An agent, and the settings of its cluster that the rendering depends on. */
export interface HermesAgentProps {
  readonly metadata: HermesAgentMetadata;
  readonly spec: HermesAgentSpec;
  /**
   * ClusterRoles that agents may be bound to.
   * @default - none; `view` and `edit` inside one namespace
   */
  readonly allowedClusterRoles?: readonly string[];
  /**
   * Namespaces beside its own that an agent may have bindings in.
   * @default - none
   */
  readonly allowedBindingNamespaces?: readonly string[];
  /**
   * Keep Flux from substituting `${…}` in what is rendered.
   * @default false
   */
  readonly flux?: boolean;
  /**
   * Namespace of the controller, which a NetworkPolicy lets reach the dashboard. Empty for no such rule.
   * @default 'hermes-gitops-system'
   */
  readonly controllerNamespace?: string;
}

/**
 * A long-lived Hermes agent with everything that belongs to it.
 *
 * An agent that is not valid renders nothing: what is wrong is reported, with all other problems of the app, when the
 * app is synthesized. Its members are undefined until then, so code that patches them writes `agent.deployment?.…`.
 */
export class HermesAgent extends Construct {
  /** The HermesAgent object itself. */
  readonly hermesAgent: ApiObject | undefined;
  /** Absent when the agent brings its own service account. */
  readonly serviceAccount: ApiObject | undefined;
  /** Absent when the agent brings its own service account. */
  readonly selfRole: ApiObject | undefined;
  /** Absent when the agent brings its own service account. */
  readonly selfRoleBinding: ApiObject | undefined;
  /** In the order of their names. */
  readonly roleBindings: readonly ApiObject[];
  /** In the order of their names. */
  readonly clusterRoleBindings: readonly ApiObject[];
  /** Absent when the agent uses a claim that exists. */
  readonly persistentVolumeClaim: ApiObject | undefined;
  readonly networkPolicy: ApiObject | undefined;
  readonly service: ApiObject | undefined;
  readonly deployment: ApiObject | undefined;
  readonly dashboardService: ApiObject | undefined;
  readonly dashboardIngress: ApiObject | undefined;
  /** The agent with its defaults, from which its runs take their settings. Absent while it is not valid. */
  readonly resolved: ResolvedAgent | undefined;
  /** Errors and warnings about this agent. */
  readonly problems: readonly Problem[];

  constructor(scope: Construct, id: string, props: HermesAgentProps) {
    super(scope, id);
    const rendering = {
      flux: props.flux ?? false,
      controllerNamespace: props.controllerNamespace ?? DEFAULT_CONTROLLER_NAMESPACE,
    };
    const input = inputObject(this, AGENT_KIND, props);
    const { agent, problems } = validateAgent(input.data, {
      allowedClusterRoles: props.allowedClusterRoles ?? [],
      allowedBindingNamespaces: props.allowedBindingNamespaces ?? [],
      ...rendering,
    });
    const valid = input.problems.length === 0 ? agent : undefined;
    const rendered = valid && renderAgentChildren(valid, rendering);
    const taken = rendered === undefined ? [] : claimObjects(this, Object.values(rendered).flat() as KubeManifest[]);
    this.resolved = valid;
    this.problems = [...besides(input.problems, problems), ...taken];
    const errors = errorTexts(this.problems);
    this.node.addValidation({ validate: () => [...errors] });

    const children: Partial<AgentChildren> = taken.length > 0 ? {} : (rendered ?? {});
    const one = (key: string, manifest: KubeManifest | undefined): ApiObject | undefined =>
      manifest === undefined ? undefined : apiObject(this, key, manifest);
    const many = (key: string, manifests: readonly KubeManifest[] = []): readonly ApiObject[] =>
      manifests.map((manifest) => apiObject(this, `${key}-${manifest.metadata.name}`, manifest));

    this.hermesAgent = one('hermes-agent', children.hermesAgent);
    this.serviceAccount = one('service-account', children.serviceAccount);
    this.selfRole = one('self-role', children.selfRole);
    this.selfRoleBinding = one('self-role-binding', children.selfRoleBinding);
    this.roleBindings = many('role-binding', children.roleBindings);
    this.clusterRoleBindings = many('cluster-role-binding', children.clusterRoleBindings);
    this.persistentVolumeClaim = one('persistent-volume-claim', children.persistentVolumeClaim);
    this.networkPolicy = one('network-policy', children.networkPolicy);
    this.service = one('service', children.service);
    this.deployment = one('deployment', children.deployment);
    this.dashboardService = one('dashboard-service', children.dashboardService);
    this.dashboardIngress = one('dashboard-ingress', children.dashboardIngress);
  }
}
