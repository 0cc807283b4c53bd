import { AGENT_KIND, API_VERSION, RUN_KIND } from '../api/identity.js';

const isCurrent = 'has(status.observedGeneration) && status.observedGeneration == metadata.generation';
const inPhase = (...phases: readonly string[]): string =>
  `${isCurrent} && has(status.phase) && status.phase in [${phases.map((phase) => `'${phase}'`).join(', ')}]`;

/**
 * When Flux takes an agent, its volume or a run for done, under way or failed: `healthCheckExprs` of a Kustomization.
 * https://fluxcd.io/flux/components/kustomize/kustomizations/#health-check-expressions
 */
export const FLUX_HEALTH_CHECKS = [
  {
    apiVersion: API_VERSION,
    kind: AGENT_KIND,
    current: inPhase('Ready', 'Suspended'),
    // Degraded alone is no end: a pod that comes back, or a Secret that is put right, makes the agent Ready again.
    failed: `${isCurrent} && has(status.conditions) && status.conditions.exists(c, c.type == 'Stalled' && c.status == 'True')`,
  },
  {
    // Pending is no reason to wait: a class may wait for the pod of an agent that is suspended, and an agent whose pod
    // waits for its volume is not current itself.
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    current: "has(status.phase) && status.phase in ['Pending', 'Bound']",
    failed: "has(status.phase) && status.phase == 'Lost'",
  },
  { apiVersion: API_VERSION, kind: RUN_KIND, current: inPhase('Succeeded'), failed: inPhase('Failed') },
] as const;
