import type { ResolvedRun } from '../../api/agent-run.js';
import { type KubeManifest, withoutEmpty } from '../manifest.js';
import { runPodTemplate } from './pod-template.js';
import { WORKLOAD_TYPES, workloadMetadata } from './workload-metadata.js';

/**
 * The Job of a run. It tries once. It never deletes itself after its end, because an engine would make it anew and so
 * run it again; and it leaves `suspend` alone, by which the controller stops it.
 */
export function renderRunJob(run: ResolvedRun): KubeManifest {
  return {
    ...WORKLOAD_TYPES.Job,
    metadata: workloadMetadata(run),
    spec: withoutEmpty({
      backoffLimit: 0,
      activeDeadlineSeconds: run.spec.activeDeadlineSeconds,
      template: runPodTemplate(run),
    }),
  };
}
