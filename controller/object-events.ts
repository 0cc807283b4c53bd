import type { KubeApi } from './kube/client.js';
import { describeError } from './kube/errors.js';
import { eventRecorder, type RecordEvent } from './kube/event-recorder.js';
import type { ResourceType } from './kube/resources.js';
import type { Logger } from './log.js';

/** A recorder of events about objects of one kind. An event that cannot be written is worth a line of debugging. */
export function objectEvents(
  { client, instance, log }: { readonly client: KubeApi; readonly instance: string; readonly log: Logger },
  resource: ResourceType,
): RecordEvent {
  return eventRecorder({
    api: client,
    resource,
    instance,
    onError: (error) => {
      log.debug({ error: describeError(error) }, 'event was not written');
    },
  });
}
