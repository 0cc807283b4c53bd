import { describeError } from '../kube/errors.js';
import type { StoredAgent } from '../kube/objects.js';
import { RESOURCES } from '../kube/resources.js';
import { bindingScopes } from '../reconcile/spec-facts.js';
import type { RefusedScope } from './live-bindings.js';
import type { OwnedChild } from './owned-children.js';

/**
 * What is in the way of an agent that may have bindings where the controller was not let look: undefined when there are
 * none by its spec, nor by what was seen there last. A namespace that has nothing to do with the agent holds it not.
 */
export function unreadBindings(
  agent: StoredAgent,
  refused: readonly RefusedScope[],
  lastSeen: readonly OwnedChild[],
): string | undefined {
  const bindings = lastSeen.filter(({ isRequired }) => isRequired);
  const told = refused.filter((scope) => mayBindIn(agent, scope, bindings)).map(describeScope);
  return told.length === 0 ? undefined : `bindings cannot be read: ${told.sort().join(', ')}`;
}

function mayBindIn(
  agent: StoredAgent,
  { resource, namespace }: RefusedScope,
  bindings: readonly OwnedChild[],
): boolean {
  const isOfEveryNamespace = resource === RESOURCES.roleBindings && namespace === undefined;
  const isOwn = namespace !== undefined && namespace === agent.metadata.namespace;
  if (isOfEveryNamespace || isOwn) return true;
  return (
    bindingScopes(agent.spec).includes(namespace) || bindings.some(({ metadata }) => metadata.namespace === namespace)
  );
}

function describeScope({ resource, namespace, error }: RefusedScope): string {
  const where = namespace === undefined ? '' : ` of namespace ${namespace}`;
  return `${resource.kind}s${where} (${describeError(error)})`;
}
