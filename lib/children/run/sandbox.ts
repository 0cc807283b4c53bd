import type { ResolvedRun } from '../../api/agent-run.js';
import type { KubeManifest } from '../manifest.js';
import { runPodTemplate } from './pod-template.js';
import { WORKLOAD_TYPES, workloadMetadata } from './workload-metadata.js';

/**
 * The Sandbox of a run, of kubernetes-sigs/agent-sandbox. It knows no deadline, so its pod has it. `operatingMode` is
 * left alone: by it the controller stops a run.
 */
export function renderRunSandbox(run: ResolvedRun): KubeManifest {
  const { activeDeadlineSeconds } = run.spec;
  const { metadata, spec } = runPodTemplate(run);
  return {
    ...WORKLOAD_TYPES.Sandbox,
    metadata: workloadMetadata(run),
    spec: {
      podTemplate: {
        metadata,
        spec: { ...spec, ...(activeDeadlineSeconds !== undefined && { activeDeadlineSeconds }) },
      },
    },
  };
}
