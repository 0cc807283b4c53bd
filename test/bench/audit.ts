import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { text } from 'node:stream/consumers';

interface AuditEvent {
  readonly verb: string;
  readonly stageTimestamp: string;
  readonly userAgent?: string;
  readonly objectRef?: {
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code?: number };
}

type OwnResource = 'hermesagents' | 'agentruns';

/** A place in the audit log: its end now. */
export async function auditEnd(auditLog: string): Promise<number> {
  return (await stat(auditLog)).size;
}

/**
 * Status writes of the controller by object (`<namespace>/<name>`), from the API server's audit log, or from a place in it
 * on.
 */
export async function statusWrites(
  auditLog: string,
  resource: OwnResource = 'hermesagents',
  from = 0,
): Promise<ReadonlyMap<string, number>> {
  const writes = new Map<string, number>();
  for (const { objectRef } of await statusPatches(auditLog, resource, from)) {
    const key = `${objectRef?.namespace ?? ''}/${objectRef?.name ?? ''}`;
    writes.set(key, (writes.get(key) ?? 0) + 1);
  }
  return writes;
}

/** When the API server had answered the controller's last status write of an agent, in milliseconds of this clock. */
export async function lastStatusWrite(auditLog: string): Promise<number> {
  const patches = await statusPatches(auditLog, 'hermesagents');
  return Math.max(...patches.map(({ stageTimestamp }) => Date.parse(stageTimestamp)));
}

async function statusPatches(auditLog: string, resource: OwnResource, from = 0): Promise<readonly AuditEvent[]> {
  return (await text(createReadStream(auditLog, { start: from })))
    .split('\n')
    .filter((line) => line.includes(`"${resource}"`) && line.includes('"status"') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as AuditEvent)
    .filter(
      ({ verb, userAgent, objectRef, responseStatus }) =>
        userAgent?.startsWith('hermes-gitops-controller') === true &&
        verb === 'patch' &&
        objectRef?.subresource === 'status' &&
        responseStatus?.code === 200,
    );
}

/** Every request of the controller, in order. */
export async function requestsOf(
  auditLog: string,
): Promise<readonly { readonly verb: string; readonly resource: string }[]> {
  return (await text(createReadStream(auditLog)))
    .split('\n')
    .filter((line) => line.includes('hermes-gitops-controller') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as AuditEvent)
    .filter(({ userAgent }) => userAgent?.startsWith('hermes-gitops-controller') === true)
    .map(({ verb, objectRef }) => ({ verb, resource: objectRef?.resource ?? '' }));
}
