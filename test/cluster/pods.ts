import type { KubeClient } from './client.js';
import { BED_ANNOTATIONS, type PodState } from './failure-stages.js';

/** Details of a state; what is absent is left to the bed. */
export interface PodStateOptions {
  readonly container?: string;
  readonly exitCode?: number;
  readonly restarts?: number;
}

/** Annotations that put a pod into a state, for a pod template or for a pod that runs. */
export function podStateAnnotations(state: PodState, options: PodStateOptions = {}): Record<string, string> {
  return {
    [BED_ANNOTATIONS.state]: state,
    ...(options.container !== undefined && { [BED_ANNOTATIONS.container]: options.container }),
    ...(options.exitCode !== undefined && { [BED_ANNOTATIONS.exitCode]: String(options.exitCode) }),
    ...(options.restarts !== undefined && { [BED_ANNOTATIONS.restarts]: String(options.restarts) }),
  };
}

/**
 * Moves a live pod into a state, as its kubelet would. Between two loops (both wait on CrashLoopBackOff) go by way of
 * `ready`: a state that the pod seems to be in already is not written again.
 */
export async function setPodState(
  client: KubeClient,
  pod: { readonly namespace: string; readonly name: string },
  state: PodState,
  options: PodStateOptions = {},
): Promise<void> {
  const { namespace, name } = pod;
  // Details of an earlier state would stay otherwise.
  const cleared = Object.fromEntries(
    [BED_ANNOTATIONS.container, BED_ANNOTATIONS.exitCode, BED_ANNOTATIONS.restarts].map((key) => [key, null]),
  );
  await client.mergePatch(`/api/v1/namespaces/${namespace}/pods/${name}`, {
    metadata: { annotations: { ...cleared, ...podStateAnnotations(state, options) } },
  });
}

/** Writes any status at all, for what no state covers. A merge patch: lists are replaced as a whole. */
export async function patchPodStatus(
  client: KubeClient,
  pod: { readonly namespace: string; readonly name: string },
  status: object,
): Promise<void> {
  await client.mergePatch(`/api/v1/namespaces/${pod.namespace}/pods/${pod.name}/status`, { status });
}
