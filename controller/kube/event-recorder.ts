import { randomBytes } from 'node:crypto';
import { FIELD_MANAGER } from '../../lib/api/identity.js';
import type { KubeApi, KubeRequest } from './client.js';
import type { KubeObject } from './objects.js';
import { apiVersionOf, collectionPath, RESOURCES, type ResourceType } from './resources.js';

/** Something worth telling the owner of an object. */
export interface ObjectEvent {
  readonly type: 'Normal' | 'Warning';
  /** CamelCase. */
  readonly reason: string;
  /** What was being done, CamelCase. */
  readonly action: string;
  readonly note: string;
}

/** Writes events. */
export type RecordEvent = (object: KubeObject, event: ObjectEvent) => void;

export interface EventRecorderOptions {
  /** Of the objects that the events are about. */
  readonly resource: ResourceType;
  readonly api: KubeApi;
  /** Name of this process, unique among replicas. */
  readonly instance: string;
  readonly onError: (error: unknown) => void;
}

const REPEAT_MS = 10 * 60_000;
const MAX_WAITING = 1000;
const MAX_REMEMBERED = 5000;

/** Between two events, so that a thousand phase changes at once leave the API server to the status writes. */
const PAUSE_MS = 100;

/**
 * Writes events beside the work: nobody waits for one, and one that fails or comes too fast is lost. In a namespace that
 * is being deleted every create is refused, and that must hold up nothing.
 */
export function eventRecorder(options: EventRecorderOptions): RecordEvent {
  const said = new Map<string, number>();
  const waiting: KubeRequest[] = [];
  let isSending = false;
  const send = async (): Promise<void> => {
    for (let request = waiting.shift(); request !== undefined; request = waiting.shift()) {
      await options.api.request(request).catch(options.onError);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS).unref());
    }
    isSending = false;
  };
  return (object, event) => {
    const now = options.api.now();
    const identity = JSON.stringify([object.metadata.uid, event.type, event.reason, event.note]);
    if (isRecent(said.get(identity), now) || waiting.length >= MAX_WAITING) return;
    if (said.size >= MAX_REMEMBERED) forgetOld(said, now);
    said.set(identity, now);
    waiting.push(eventRequest(object, event, { ...options, now }));
    if (isSending) return;
    isSending = true;
    void send();
  };
}

/** What a clock that was set back puts into the future is none that counts. */
function isRecent(at: number | undefined, now: number): boolean {
  return at !== undefined && at <= now && now - at < REPEAT_MS;
}

function forgetOld(said: Map<string, number>, now: number): void {
  for (const [identity, at] of said) if (!isRecent(at, now)) said.delete(identity);
  if (said.size >= MAX_REMEMBERED) said.clear();
}

/** Who says an event, of which kind of object, and when. */
export interface EventSource {
  readonly resource: ResourceType;
  readonly instance: string;
  readonly now: number;
}

/** The request that writes an event. */
export function eventRequest(object: KubeObject, event: ObjectEvent, from: EventSource): KubeRequest {
  return {
    method: 'POST',
    path: collectionPath(RESOURCES.events, object.metadata.namespace),
    body: eventObject(object, event, from),
    timeoutMs: 10_000,
  };
}

/** The API server counts bytes, and refuses an event whose note has more of them. */
const MAX_NOTE_BYTES = 1024;

function cut(note: string): string {
  // As a stream, the decoder leaves out half of a character at the end.
  return new TextDecoder().decode(new TextEncoder().encode(note).subarray(0, MAX_NOTE_BYTES), { stream: true });
}

function eventObject(object: KubeObject, event: ObjectEvent, from: EventSource): object {
  const { name, namespace, uid, resourceVersion } = object.metadata;
  return {
    apiVersion: apiVersionOf(RESOURCES.events),
    kind: RESOURCES.events.kind,
    metadata: { name: `${name}.${randomBytes(8).toString('hex')}`, namespace },
    // MicroTime: the API server wants six digits.
    eventTime: new Date(from.now).toISOString().replace('Z', '000Z'),
    reportingController: FIELD_MANAGER,
    reportingInstance: from.instance.slice(0, 128),
    type: event.type,
    reason: event.reason.slice(0, 128),
    action: event.action.slice(0, 128),
    note: cut(event.note),
    regarding: {
      apiVersion: apiVersionOf(from.resource),
      kind: from.resource.kind,
      name,
      namespace,
      uid,
      resourceVersion,
    },
  };
}
