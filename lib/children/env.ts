import type { EnvVar } from '../api/generated/types.js';
import type { ResolvedAgent } from '../api/hermes-agent.js';
import { agentResourceName } from '../names.js';

/**
 * Variables of the agent container: providers, gateways, the agent's own, then those that the image reads to know who
 * and where it is. Of one name the last wins and stands in its own place, so that a `$(NAME)` in its value sees
 * everything that was written before it.
 */
export function agentEnv(agent: ResolvedAgent): readonly EnvVar[] {
  const { llmProviders = [], gateways = [], env = [] } = agent.spec;
  const merged = new Map<string, EnvVar>();
  const written = [...llmProviders, ...gateways].flatMap((entry) => entry.env ?? []);
  for (const variable of [...written, ...env, ...stampedEnv(agent)]) {
    merged.delete(variable.name);
    merged.set(variable.name, variable);
  }
  return [...merged.values()];
}

function stampedEnv(agent: ResolvedAgent): readonly EnvVar[] {
  const provider = agent.spec.llmDefaultProvider ?? '';
  return [
    ...(provider === '' ? [] : [{ name: 'HERMES_INFERENCE_PROVIDER', value: provider }]),
    fromField('HERMES_NAMESPACE', 'metadata.namespace'),
    fromField('HERMES_POD_NAME', 'metadata.name'),
    fromField('HERMES_POD_UID', 'metadata.uid'),
    fromField('HERMES_NODE_NAME', 'spec.nodeName'),
    { name: 'HERMES_PROFILE', value: agent.name },
    { name: 'HERMES_DEPLOYMENT', value: agentResourceName(agent.name) },
  ];
}

function fromField(name: string, fieldPath: string): EnvVar {
  return { name, valueFrom: { fieldRef: { fieldPath } } };
}
