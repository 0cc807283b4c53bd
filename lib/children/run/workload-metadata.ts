import type { ValidRun } from '../../api/agent-run.js';
import { ANNOTATIONS, FOREIGN, LABELS, MANAGED_BY, SANDBOX_API_VERSION } from '../../api/identity.js';
import { runWorkloadName } from '../../names.js';
import type { ManifestMetadata } from '../manifest.js';

/** What a run is executed as, by the word of `spec.workload`. */
export const WORKLOAD_TYPES = {
  Job: { apiVersion: 'batch/v1', kind: 'Job' },
  Sandbox: { apiVersion: SANDBOX_API_VERSION, kind: 'Sandbox' },
} as const;

/**
 * Labels of a run's workload and of its pod. Never the label of an agent: what selects the agent by it must not touch
 * its runs.
 */
export function runLabels({ name, spec }: ValidRun): Record<string, string> {
  return {
    [LABELS.name]: 'hermes-run',
    [LABELS.managedBy]: MANAGED_BY,
    [LABELS.run]: name,
    ...(spec.agentRef && { [LABELS.runAgent]: spec.agentRef.name }),
  };
}

/**
 * Metadata of a run's workload. Flux makes it once and never again applies it: what is fixed about a Job would
 * otherwise stop the whole stage as soon as anything of it differs.
 */
export function workloadMetadata(run: ValidRun): ManifestMetadata {
  return {
    name: runWorkloadName(run.name),
    namespace: run.namespace,
    labels: runLabels(run),
    annotations: { [ANNOTATIONS.specDigest]: run.digest, [FOREIGN.fluxServerSideApply]: 'IfNotPresent' },
  };
}
