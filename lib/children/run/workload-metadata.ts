import type { ResolvedRun } from '../../api/agent-run.js';
import { ANNOTATIONS, FOREIGN, LABELS, MANAGED_BY } from '../../api/identity.js';
import { runWorkloadName } from '../../names.js';
import type { ManifestMetadata } from '../manifest.js';

/**
 * Labels of a run's workload and of its pod. Never the label of an agent: what selects the agent by it must not touch
 * its runs.
 */
export function runLabels({ name, agent }: ResolvedRun): Record<string, string> {
  return {
    [LABELS.name]: 'hermes-run',
    [LABELS.managedBy]: MANAGED_BY,
    [LABELS.run]: name,
    ...(agent && { [LABELS.runAgent]: agent.name }),
  };
}

/**
 * Metadata of a run's workload. Flux makes it once and never again applies it: what is fixed about a Job would
 * otherwise stop the whole stage as soon as anything of it differs.
 */
export function workloadMetadata(run: ResolvedRun): ManifestMetadata {
  return {
    name: runWorkloadName(run.name),
    namespace: run.namespace,
    labels: runLabels(run),
    annotations: { [ANNOTATIONS.specDigest]: run.digest, [FOREIGN.fluxServerSideApply]: 'IfNotPresent' },
  };
}
