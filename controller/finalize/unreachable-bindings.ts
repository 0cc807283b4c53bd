import { LABELS } from '../../lib/api/identity.js';
import type { StoredAgent } from '../kube/objects.js';
import { bindingScopes } from '../reconcile/spec-facts.js';

/**
 * What a person has to do when bindings of the spec lie where the controller was not given any rights: undefined when
 * there are none, else a sentence with the commands.
 */
export function unreachableBindings(
  agent: StoredAgent,
  covers: (scope: string | undefined) => boolean,
): string | undefined {
  const outside = bindingScopes(agent.spec).filter((scope) => !covers(scope));
  if (outside.length === 0) return undefined;
  const { name, namespace = '' } = agent.metadata;
  const selector = `${LABELS.agent}=${name},${LABELS.agentNamespace}=${namespace}`;
  const commands = outside.map((scope) =>
    scope === undefined
      ? `kubectl delete clusterrolebindings -l ${selector}`
      : `kubectl delete rolebindings -n ${scope} -l ${selector}`,
  );
  return `bindings outside the watched namespaces are left; delete them with: ${commands.sort().join('; ')}`;
}
