import { field } from '../status/spec-view.js';
import type { WorkloadKind } from './objects.js';

/** What the rules read of a spec. The spec may be anything: it may have been stored under another schema. */
export interface RunSpecView {
  /** Whether the spec is a map at all. */
  readonly isReadable: boolean;
  readonly workload: WorkloadKind;
  /** Undefined where the controller's default holds; 0 for none. */
  readonly startupDeadlineSeconds: number | undefined;
  readonly ttlSeconds: number | undefined;
}

/** Reads a spec, taking what does not fit as absent. */
export function viewRunSpec(spec: unknown): RunSpecView {
  return {
    isReadable: typeof spec === 'object' && spec !== null && !Array.isArray(spec),
    workload: field(spec, 'workload') === 'Sandbox' ? 'Sandbox' : 'Job',
    startupDeadlineSeconds: seconds(field(spec, 'startupDeadlineSeconds')),
    ttlSeconds: seconds(field(spec, 'ttlSecondsAfterFinished')),
  };
}

function seconds(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
