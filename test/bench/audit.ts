import { readFile } from 'node:fs/promises';

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

/** Status writes of the controller by object (`<namespace>/<name>`), from the API server's audit log. */
export async function statusWrites(
  auditLog: string,
  resource: OwnResource = 'hermesagents',
): Promise<ReadonlyMap<string, number>> {
  const writes = new Map<string, number>();
  for (const { objectRef } of await statusPatches(auditLog, resource)) {
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

async function statusPatches(auditLog: string, resource: OwnResource): Promise<readonly AuditEvent[]> {
  return (await readFile(auditLog, 'utf8'))
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
  return (await readFile(auditLog, 'utf8'))
    .split('\n')
    .filter((line) => line.includes('hermes-gitops-controller') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as AuditEvent)
    .filter(({ userAgent }) => userAgent?.startsWith('hermes-gitops-controller') === true)
    .map(({ verb, objectRef }) => ({ verb, resource: objectRef?.resource ?? '' }));
}
