import type { BindingGates } from '../../../lib/api/binding-gates.js';
import type { PolicyDefinition } from './admission-policy.js';
import { agentRestartPolicy } from './agent-restart.js';
import { bindingListsPolicy } from './binding-lists.js';
import { controllerWritesPolicy } from './controller-writes.js';

/** Every admission policy, by the name of its file. */
export function policies(gates: BindingGates): Readonly<Record<string, PolicyDefinition>> {
  return {
    'agent-restart': agentRestartPolicy,
    'binding-lists': bindingListsPolicy(gates),
    'controller-writes': controllerWritesPolicy,
  };
}
