/** The file of an agent "lab/mia" that has all that it needs. */
export const AGENT_FILE = `apiVersion: hermes-gitops.dev/v1alpha1
kind: HermesAgent
metadata: {name: mia, namespace: lab}
spec:
  image: registry.example.net/hermes:v1
  storage: {existingClaimName: home}
`;

/** The file of a run "lab/sum-1" of that agent. */
export const RUN_FILE = `apiVersion: hermes-gitops.dev/v1alpha1
kind: AgentRun
metadata: {name: sum-1, namespace: lab}
spec:
  agentRef: {name: mia}
  instructions: sum it up
`;
