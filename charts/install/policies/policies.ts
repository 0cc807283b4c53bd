import type { PolicyDefinition } from './admission-policy.js';
import { agentRestartPolicy } from './agent-restart.js';
import { bindingListsPolicy } from './binding-lists.js';
import { controllerWritesPolicy } from './controller-writes.js';

/** Every admission policy, by the name of its file. */
export const POLICIES: Readonly<Record<string, PolicyDefinition>> = {
  'agent-restart': agentRestartPolicy,
  'binding-lists': bindingListsPolicy,
  'controller-writes': controllerWritesPolicy,
};
