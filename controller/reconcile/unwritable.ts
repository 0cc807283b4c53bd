import type { ObjectEvent } from '../kube/event-recorder.js';

/**
 * Some specs that were stored past the schema make the API server refuse every change of the object, its status included.
 * This event is all that can stand beside such an object, and the recorder says the same only once in a while.
 */
export function unwritable(reason: string, message: string): ObjectEvent {
  return {
    type: 'Warning',
    reason,
    action: 'WriteStatus',
    note: `the API server takes no status until the spec is put right: ${message}`,
  };
}
