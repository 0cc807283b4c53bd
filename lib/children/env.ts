import type { EnvVar } from '../api/generated/types.js';
import type { ResolvedRun } from '../api/agent-run.js';
import type { ResolvedAgent } from '../api/hermes-agent.js';
import { agentResourceName } from '../names.js';

/**
 * Variables of the agent container: providers, gateways, the agent's own, then those that the image reads to know who
 * and where it is. Of one name the last wins and stands in its own place, so that a `$(NAME)` in its value sees
 * everything that was written before it.
 */
export function agentEnv(agent: ResolvedAgent): readonly EnvVar[] {
  const { llmProviders = [], gateways = [], env = [] } = agent.spec;
  const written = [...llmProviders, ...gateways].flatMap((entry) => entry.env ?? []);
  return lastOfEach([...written, ...env, ...stampedEnv(agent)]);
}

/**
 * Variables of the container of a run: those of its agent without the gateways, which a run does not serve, then its
 * own, which may choose another provider too, then what the image reads to know where it is.
 */
export function runEnv({ agent, spec }: Pick<ResolvedRun, 'agent' | 'spec'>): readonly EnvVar[] {
  const { llmProviders = [], env = [] } = agent?.spec ?? {};
  return lastOfEach([
    ...llmProviders.flatMap((provider) => provider.env ?? []),
    ...env,
    ...providerEnv(agent),
    ...(spec.env ?? []),
    ...podEnv(),
    ...(agent === undefined ? [] : [{ name: 'HERMES_PROFILE', value: agent.name }]),
  ]);
}

function lastOfEach(variables: readonly EnvVar[]): readonly EnvVar[] {
  const merged = new Map<string, EnvVar>();
  for (const variable of variables) {
    merged.delete(variable.name);
    merged.set(variable.name, variable);
  }
  return [...merged.values()];
}

function stampedEnv(agent: ResolvedAgent): readonly EnvVar[] {
  return [
    ...providerEnv(agent),
    ...podEnv(),
    { name: 'HERMES_PROFILE', value: agent.name },
    { name: 'HERMES_DEPLOYMENT', value: agentResourceName(agent.name) },
  ];
}

function providerEnv(agent: ResolvedAgent | undefined): readonly EnvVar[] {
  const provider = agent?.spec.llmDefaultProvider ?? '';
  return provider === '' ? [] : [{ name: 'HERMES_INFERENCE_PROVIDER', value: provider }];
}

const POD_FIELDS: Readonly<Record<string, string>> = {
  HERMES_NAMESPACE: 'metadata.namespace',
  HERMES_POD_NAME: 'metadata.name',
  HERMES_POD_UID: 'metadata.uid',
  HERMES_NODE_NAME: 'spec.nodeName',
};

/** Variables that say which pod a container is in. */
export const POD_VARIABLES: readonly string[] = Object.keys(POD_FIELDS);

function podEnv(): readonly EnvVar[] {
  return Object.entries(POD_FIELDS).map(([name, fieldPath]) => ({ name, valueFrom: { fieldRef: { fieldPath } } }));
}
