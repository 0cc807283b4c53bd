import { LABELS } from '../../lib/api/identity.js';
import { agentResourceName, dashboardName, dataClaimName, selfRoleName } from '../../lib/names.js';
import type { RelatedObjects } from '../cache/agent-cache.js';
import type { Binding, ObjectMeta, StoredAgent } from '../kube/objects.js';
import { RESOURCES, type ResourceType } from '../kube/resources.js';
import { isOwnBinding, type Owner } from '../status/ownership.js';

/** One object that was rendered for an agent and goes with it. */
export interface OwnedChild {
  readonly resource: ResourceType;
  readonly metadata: ObjectMeta;
  /** Rights outlive nothing: an agent stays until its bindings are gone. All else may be given up. */
  readonly isRequired: boolean;
}

/**
 * The objects to delete with an agent, in the order to delete them: rights first, then what runs, the claim last.
 *
 * Labels only selected the candidates; anybody can write them. A child counts if it lies in the agent's namespace under
 * the one name that rendering gives it, a binding if its name is the one that follows from its own roleRef and the
 * agent's service account is its only subject. What was created after the agent was deleted belongs to the next agent
 * of that name.
 */
export function ownedChildren(agent: StoredAgent, related: RelatedObjects): readonly OwnedChild[] {
  const owner = ownerOf(agent);
  const bindings = related.bindings.filter((binding) => isOwnBinding(binding, owner)).map(toBinding);
  const candidates = [
    ...(related.deployment === undefined ? [] : [{ ...related.deployment, kind: RESOURCES.deployments.kind }]),
    ...related.children,
  ];
  const children = NAMED_CHILDREN.flatMap(({ resource, name }) =>
    candidates
      .filter(({ kind, metadata }) => kind === resource.kind && metadata.name === name(owner.name))
      .filter(({ metadata }) => metadata.namespace === owner.namespace)
      .filter(({ metadata }) => metadata.labels?.[LABELS.agentNamespace] === owner.namespace)
      .filter(() => resource !== RESOURCES.claims || deletesClaim(agent))
      .map(({ metadata }): OwnedChild => ({ resource, metadata, isRequired: false })),
  );
  return [...bindings, ...children].filter(({ metadata }) => isNotNewer(metadata, agent.metadata));
}

/** Everything that rendering names after the agent alone, the parts that are switched off now included. */
const NAMED_CHILDREN: readonly { readonly resource: ResourceType; readonly name: (agent: string) => string }[] = [
  { resource: RESOURCES.roles, name: selfRoleName },
  { resource: RESOURCES.ingresses, name: dashboardName },
  { resource: RESOURCES.services, name: dashboardName },
  { resource: RESOURCES.services, name: agentResourceName },
  { resource: RESOURCES.deployments, name: agentResourceName },
  { resource: RESOURCES.networkPolicies, name: agentResourceName },
  { resource: RESOURCES.serviceAccounts, name: agentResourceName },
  { resource: RESOURCES.claims, name: dataClaimName },
];

function ownerOf(agent: StoredAgent): Owner {
  const { name, namespace = '' } = agent.metadata;
  const account = field(agent.spec, 'serviceAccountName');
  const named = typeof account === 'string' && account !== '' ? [account] : [];
  return { name, namespace, serviceAccounts: [agentResourceName(name), ...named] };
}

function toBinding(binding: Binding): OwnedChild {
  const resource = binding.metadata.namespace === undefined ? RESOURCES.clusterRoleBindings : RESOURCES.roleBindings;
  return { resource, metadata: binding.metadata, isRequired: true };
}

/** Only a plain Delete on a claim that rendering made: in any doubt the volume stays. */
function deletesClaim(agent: StoredAgent): boolean {
  const storage = field(agent.spec, 'storage');
  const existing = field(storage, 'existingClaimName');
  return field(storage, 'retainPolicy') === 'Delete' && (existing === undefined || existing === '');
}

function isNotNewer(child: ObjectMeta, agent: ObjectMeta): boolean {
  return Date.parse(child.creationTimestamp) <= Date.parse(agent.deletionTimestamp ?? '');
}

function field(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as Readonly<Record<string, unknown>>)[key];
}

/** A child as messages name it. */
export function describeChild(child: OwnedChild): string {
  const { namespace, name } = child.metadata;
  return `${child.resource.kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}
